// The template and the application that a block comes from, and what becomes of its variables when they change.
import { describe, expect, test } from 'vitest'
import type { ChainBlock } from '../../src/engine/chain/chain.ts'
import type { ChainElementInput } from '../../src/engine/chain/chain-element.ts'
import { type ChainContext, makeChain, patchChain } from '../../src/engine/chain/chain-patch.ts'
import type { BlockTemplate } from '../../src/engine/chain/element-rules.ts'
import { acceptedOf, block, refusalOf } from './chain-samples.ts'

const fetchTemplate: BlockTemplate = {
  id: 'template-of-the-block',
  name: 'Fetch',
  applicationShortName: 'Shop',
  script: 'return "fetch"',
  variables: {
    limit: { type: 'number', required: false, displayName: 'Limit', defaultValue: 10 },
    token: { type: 'password', required: false, displayName: 'Token' },
    old: { type: 'text', required: false, displayName: 'Old' },
  },
}
const sendTemplate: BlockTemplate = {
  id: 'send',
  name: 'Send',
  applicationShortName: 'Mail',
  script: 'return "send"',
  variables: {
    limit: { type: 'number', required: false, displayName: 'Limit', defaultValue: 5 },
    token: { type: 'text', required: false, displayName: 'Token', defaultValue: 'none' },
    subject: { type: 'text', required: false, displayName: 'Subject', defaultValue: 'Hello' },
  },
}
const value = (given: unknown) => ({ variableSource: 'Value', value: given }) as ChainBlock['variables'][string]

function context(isBound: boolean): ChainContext {
  const blockTemplates = new Map([fetchTemplate, sendTemplate].map((template) => [template.id, template]))
  return { isBound, workflowVariables: new Set(), blockTemplates, newBlockId: () => 'new' }
}

const before = block('a', [], {
  blockName: 'Mine',
  applicationShortName: 'Shop',
  script: 'return "mine"',
  variables: { limit: value(7), token: value('secret'), old: value('x'), own: value('kept') },
  isCustomized: true,
})

function changed(element: ChainElementInput, from = before): ChainBlock {
  return acceptedOf(patchChain([from], [{ uniqueBlockId: 'a', ...element }], context(false)))[0] as ChainBlock
}

describe('another template', () => {
  test('brings its script, application and defaults, and keeps the name', () => {
    expect(changed({ blockTemplateId: 'send' })).toMatchObject({
      blockName: 'Mine',
      blockTemplateId: 'send',
      applicationShortName: 'Mail',
      script: 'return "send"',
    })
  })

  test('keeps values of variables that both have in the same type, and those of the block’s own', () => {
    const { variables } = changed({ blockTemplateId: 'send' })
    expect(Object.keys(variables).toSorted()).toEqual(['limit', 'own', 'subject', 'token'])
    expect(variables['limit']).toEqual({ ...value(7), type: 'number' })
    expect(variables['own']).toEqual(value('kept'))
    expect(variables['subject']).toEqual(value('Hello'))
  })

  test('does not show what was a password as a text', () => {
    expect(changed({ blockTemplateId: 'send' }).variables['token']).toEqual(value('none'))
  })

  test('keeps a value whose block does not say its type', () => {
    const typeless = block('a', [], { blockTemplateId: null, variables: { limit: value(3) } })
    expect(changed({ blockTemplateId: 'send' }, typeless).variables['limit']).toEqual(value(3))
  })

  test('keeps a value that the block says to be of the same type, and no other', () => {
    const typed = block('a', [], {
      blockTemplateId: null,
      variables: { limit: { ...value('3'), type: 'text' }, token: { ...value('t'), type: 'text' } },
    })
    const { variables } = changed({ blockTemplateId: 'send' }, typed)
    expect(variables['limit']).toEqual(value(5))
    expect(variables['token']).toEqual({ ...value('t'), type: 'text' })
  })

  test('with a script of its own takes that', () => {
    expect(changed({ blockTemplateId: 'send', script: 'return 3' })).toMatchObject({
      blockTemplateId: 'send',
      script: 'return 3',
      isCustomized: true,
    })
  })

  test('that does not exist is refused, with the block and the template', () => {
    const words = refusalOf(patchChain([before], [{ uniqueBlockId: 'a', blockTemplateId: 'ghost' }], context(false)))
    expect(words).toBe('Block "Mine" (a) names the block template ghost, which does not exist.')
  })

  test('which is none leaves everything else, and the block says the types itself', () => {
    expect(changed({ blockTemplateId: null })).toEqual({
      ...before,
      blockTemplateId: null,
      variables: {
        limit: { ...value(7), type: 'number' },
        token: { ...value('secret'), type: 'password' },
        old: { ...value('x'), type: 'text' },
        own: value('kept'),
      },
    })
  })

  test('which is none, of a block whose template is gone, changes no variable', () => {
    const orphan = { ...before, blockTemplateId: 'gone' }
    expect(changed({ blockTemplateId: null }, orphan).variables).toEqual(before.variables)
  })

  test('and an inherited name says nothing about a type', () => {
    const odd = { ...before, variables: { constructor: value(1) } }
    expect(changed({ blockTemplateId: null }, odd).variables).toEqual({ constructor: value(1) })
  })
})

describe('another application', () => {
  test('is taken beside everything else', () => {
    expect(changed({ applicationShortName: 'Other' })).toEqual({ ...before, applicationShortName: 'Other' })
    expect(changed({ applicationShortName: null })).toEqual({ ...before, applicationShortName: null })
  })

  test('is taken beside another template', () => {
    expect(changed({ blockTemplateId: 'send', applicationShortName: 'Other' })).toMatchObject({
      blockTemplateId: 'send',
      applicationShortName: 'Other',
    })
  })

  test('that differs in case alone is the same, and nothing changes', () => {
    expect(changed({ applicationShortName: 'sHOP' })).toBe(before)
    expect(changed({ blockTemplateId: 'send', applicationShortName: 'MAIL' }).applicationShortName).toBe('Mail')
  })

  test('makes an untouched block customized', () => {
    const untouched = { ...before, isCustomized: false }
    const bare = { ...untouched, applicationShortName: null }
    expect(changed({ applicationShortName: 'Shop' }, bare)).toMatchObject({
      applicationShortName: 'Shop',
      isCustomized: true,
    })
  })
})

describe('a workflow that follows its template', () => {
  const refused = (element: ChainElementInput) =>
    refusalOf(patchChain([before], [{ uniqueBlockId: 'a', ...element }], context(true)))

  test('keeps the template and the application of each block', () => {
    const from = 'of block "Mine" (a) comes from the template. To change it, set unboundFromTemplate to true.'
    expect(refused({ blockTemplateId: 'send' })).toBe(`The blockTemplateId ${from}`)
    expect(refused({ blockTemplateId: null })).toBe(`The blockTemplateId ${from}`)
    expect(refused({ applicationShortName: 'Other' })).toBe(`The applicationShortName ${from}`)
    expect(refused({ applicationShortName: null })).toBe(`The applicationShortName ${from}`)
  })

  test('may say them as they are', () => {
    const same = { blockTemplateId: fetchTemplate.id, applicationShortName: 'SHOP' }
    expect(acceptedOf(patchChain([before], [{ uniqueBlockId: 'a', ...same }], context(true)))).toEqual([before])
  })
})

describe('a new block', () => {
  const made = (element: ChainElementInput) => acceptedOf(makeChain([element], context(false)))[0]

  test('from a template has its name, script, application and defaults', () => {
    expect(made({ blockTemplateId: 'send' })).toEqual({
      uniqueBlockId: 'new',
      blockName: 'Send',
      blockTemplateId: 'send',
      applicationShortName: 'Mail',
      script: 'return "send"',
      dataSources: [],
      variables: { limit: value(5), token: value('none'), subject: value('Hello') },
      isCustomized: true,
    })
  })

  test('of a variable without a default has null', () => {
    expect(made({ blockTemplateId: fetchTemplate.id })?.variables['token']).toEqual(value(null))
  })

  test('with a script alone has no template and no application', () => {
    expect(made({ script: 'return 1' })).toMatchObject({
      blockName: 'New block',
      blockTemplateId: null,
      applicationShortName: null,
      script: 'return 1',
      variables: {},
      isCustomized: true,
    })
  })

  test('may name an application without a template', () => {
    expect(made({ script: 'return 1', applicationShortName: 'Shop' })?.applicationShortName).toBe('Shop')
  })
})

describe('a block that the workflow does not have', () => {
  const added = (element: ChainElementInput) => patchChain([before], [element], context(false))

  test.each<[string, ChainElementInput]>([
    ['a template', { uniqueBlockId: 'b', blockTemplateId: 'send' }],
    ['a name and a script', { uniqueBlockId: 'b', blockName: 'B', script: 'return 1' }],
  ])('is added under its own id when it brings %s', (_, element) => {
    expect(acceptedOf(added(element)).map(({ uniqueBlockId }) => uniqueBlockId)).toEqual(['a', 'b'])
  })

  test.each<[string, ChainElementInput]>([
    ['a name', { uniqueBlockId: 'b', blockName: 'B' }],
    ['a script', { uniqueBlockId: 'b', script: 'return 1' }],
    ['no template', { uniqueBlockId: 'b', blockTemplateId: null }],
  ])('is taken for a mistake when it brings only %s', (_, element) => {
    expect(refusalOf(added(element))).toBe('Block b does not exist in this workflow, so it cannot be changed.')
  })
})
