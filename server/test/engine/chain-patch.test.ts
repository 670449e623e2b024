import { maskedValue } from '@patchbay/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ChainBlock } from '../../src/engine/chain/chain.ts'
import type { ChainElementInput } from '../../src/engine/chain/chain-element.ts'
import { type ChainContext, decideBinding, makeChain, patchChain } from '../../src/engine/chain/chain-patch.ts'
import type { BlockTemplate } from '../../src/engine/chain/element-rules.ts'
import { acceptedOf, block, refusalOf } from './chain-samples.ts'

const template: BlockTemplate = {
  id: 'template-of-the-block',
  name: 'Fetch',
  applicationShortName: 'TEST',
  script: 'return await api.get("test/meta")',
  variables: {
    limit: { type: 'number', required: false, displayName: 'Limit', defaultValue: 10 },
    token: { type: 'password', required: false, displayName: 'Token' },
  },
}

function context(rest: Partial<ChainContext> = {}): ChainContext {
  let made = 0
  return {
    isBound: false,
    workflowVariables: new Set(['customer']),
    blockTemplates: new Map([[template.id, template]]),
    newBlockId: () => `new-${++made}`,
    ...rest,
  }
}
const bound = context({ isBound: true })

const limit = { variableSource: 'Value', value: 10 } as const
const token = { variableSource: 'Value', value: 'real secret' } as const
const chain = [block('a', [], { variables: { limit, token } }), block('b', ['a']), block('c', ['a', 'b'])]
const ids = (blocks: readonly ChainBlock[]) => blocks.map((item) => item.uniqueBlockId)

/** A block as an answer shows it: with its number, its read-only fields, and passwords masked. */
function shown(item: ChainBlock, index: number): ChainElementInput {
  const variables = Object.fromEntries(
    Object.entries(item.variables).map(([name, binding]) => [
      name,
      name === 'token' ? { ...binding, value: maskedValue } : binding,
    ]),
  )
  return { ...item, no: index + 1, variables, status: 'Ready', startDateTimeUTC: null } as ChainElementInput
}

describe('a workflow that follows its template', () => {
  test('stays exactly as it is when its own chain is posted back', () => {
    const result = acceptedOf(patchChain(chain, chain.map(shown), bound))
    for (const [index, item] of result.entries()) expect(item).toBe(chain[index])
  })

  test('takes a new script and marks only that block customized', () => {
    const result = acceptedOf(patchChain(chain, [{ uniqueBlockId: 'b', script: 'return 2' }], bound))
    expect(result[1]).toEqual({ ...chain[1], script: 'return 2', isCustomized: true })
    expect([result[0], result[2]]).toEqual([chain[0], chain[2]])
  })

  test('takes variable values and bindings to workflow variables, and marks the block customized', () => {
    const binding = { variableSource: 'Workflow', variableName: 'customer' } as const
    const result = acceptedOf(patchChain(chain, [{ uniqueBlockId: 'a', variables: { limit: binding } }], bound))
    expect(result[0]).toEqual({ ...chain[0], variables: { limit: binding, token }, isCustomized: true })
  })

  test('takes a new name without calling the block customized', () => {
    const [first] = acceptedOf(patchChain(chain, [{ uniqueBlockId: 'a', blockName: 'Mine' }], bound))
    expect(first).toEqual({ ...chain[0], blockName: 'Mine' })
  })

  test.each<[string, ChainElementInput, string]>([
    ['other data sources', { uniqueBlockId: 'c', dataSources: ['a'] }, 'The data sources of block "Block c" (c)'],
    ['data sources in another order', { uniqueBlockId: 'c', dataSources: ['b', 'a'] }, 'unboundFromTemplate'],
    ['another place', { uniqueBlockId: 'c', no: 1 }, 'Block "Block c" (c) cannot be moved'],
    ['a deletion', { uniqueBlockId: 'c', isDeleted: true }, 'Block "Block c" (c) cannot be deleted'],
    ['a new block', { script: 'return 1' }, 'A block cannot be added'],
    ['an unknown block', { uniqueBlockId: 'ghost', script: '' }, 'Block ghost does not exist'],
    [
      'an undeclared variable',
      { uniqueBlockId: 'b', variables: { nope: limit } },
      'Variable "nope" is not declared in block "Block b" (b)',
    ],
    [
      'an inherited name as variable',
      { uniqueBlockId: 'b', variables: { constructor: limit } },
      '"constructor" is not declared',
    ],
    [
      'a wrong type',
      { uniqueBlockId: 'a', variables: { limit: { variableSource: 'Value', value: '10' } } },
      'Variable "limit" of block "Block a" (a) must be a number',
    ],
    ['a malformed binding', { uniqueBlockId: 'a', variables: { limit: 10 } }, 'Variable "limit" must be an object'],
    [
      'an unknown workflow variable',
      { uniqueBlockId: 'a', variables: { limit: { variableSource: 'Workflow', variableName: 'ghost' } } },
      'the workflow variable "ghost", which is not declared',
    ],
  ])('refuses %s', (_, element, words) => {
    expect(refusalOf(patchChain(chain, [element], bound))).toContain(words)
  })

  test('refuses an element named twice, and reports all problems together', () => {
    const elements = [{ uniqueBlockId: 'a' }, { uniqueBlockId: 'a' }, { uniqueBlockId: 'ghost' }]
    const words = refusalOf(patchChain(chain, elements, bound))
    expect(words).toContain('The chain names the uniqueBlockId a more than once.')
    expect(words).toContain('ghost')
  })
})

describe('unbinding', () => {
  test('is for good', () => {
    expect(acceptedOf(decideBinding(true, undefined))).toBe(true)
    expect(acceptedOf(decideBinding(true, false))).toBe(true)
    expect(acceptedOf(decideBinding(true, true))).toBe(false)
    expect(acceptedOf(decideBinding(false, undefined))).toBe(false)
    expect(acceptedOf(decideBinding(false, true))).toBe(false)
    expect(refusalOf(decideBinding(false, false))).toContain('unboundFromTemplate')
  })

  test('marks every block customized, also with an empty chain in the request', () => {
    const result = acceptedOf(patchChain(chain, [], context()))
    expect(result.map((item) => item.isCustomized)).toEqual([true, true, true])
  })
})

describe('an unbound workflow', () => {
  const unbound = acceptedOf(patchChain(chain, [], context()))

  test('stays exactly as it is when its own chain is posted back', () => {
    const result = acceptedOf(patchChain(unbound, unbound.map(shown), context()))
    for (const [index, item] of result.entries()) expect(item).toBe(unbound[index])
  })

  test('takes other data sources', () => {
    expect(
      acceptedOf(patchChain(unbound, [{ uniqueBlockId: 'c', dataSources: ['b'] }], context()))[2]?.dataSources,
    ).toEqual(['b'])
  })

  test('adds a block with a script of its own, which declares its variables', () => {
    const result = acceptedOf(
      patchChain(unbound, [{ script: 'return 7', dataSources: ['c'], variables: { x: limit } }], context()),
    )
    expect(result[3]).toEqual({
      uniqueBlockId: 'new-1',
      blockName: 'New block',
      blockTemplateId: null,
      applicationShortName: null,
      script: 'return 7',
      dataSources: ['c'],
      variables: { x: limit },
      isCustomized: true,
    })
  })

  test('adds a block from a block template with its defaults', () => {
    const element = { blockTemplateId: template.id, no: 1, variables: { token } }
    const [first] = acceptedOf(patchChain(unbound, [element], context()))
    expect(first).toMatchObject({
      uniqueBlockId: 'new-1',
      blockName: 'Fetch',
      applicationShortName: 'TEST',
      script: template.script,
      variables: { limit, token },
    })
  })

  test('moves one block by its number and keeps the others in order', () => {
    expect(ids(acceptedOf(patchChain(unbound, [{ uniqueBlockId: 'c', no: 1 }], context())))).toEqual(['c', 'a', 'b'])
    const whole = unbound.map(shown).map((element) => (element.uniqueBlockId === 'c' ? { ...element, no: 1 } : element))
    expect(ids(acceptedOf(patchChain(unbound, whole, context())))).toEqual(['c', 'a', 'b'])
  })

  test('deletes a block that nobody reads', () => {
    expect(ids(acceptedOf(patchChain(unbound, [{ uniqueBlockId: 'c', isDeleted: true }], context())))).toEqual([
      'a',
      'b',
    ])
  })

  test.each<[string, ChainElementInput, string]>([
    [
      'deleting a block that others read',
      { uniqueBlockId: 'b', isDeleted: true },
      'Block "Block c" (c) has the data source b',
    ],
    ['deleting nothing', { isDeleted: true }, 'needs the uniqueBlockId'],
    ['an unknown block', { uniqueBlockId: 'ghost', script: 'return 1' }, 'Block ghost does not exist'],
    ['a cycle', { uniqueBlockId: 'a', dataSources: ['c'] }, 'form a cycle'],
    ['an unknown data source', { uniqueBlockId: 'a', dataSources: ['ghost'] }, 'data source ghost'],
    ['a block from nothing', { blockName: 'Empty' }, 'needs a blockTemplateId or a script'],
    ['an unknown block template', { blockTemplateId: 'ghost' }, 'block template ghost, which does not exist'],
    ['a place behind the end', { uniqueBlockId: 'a', no: 4 }, 'cannot move to position 4'],
    ['a place before the start', { uniqueBlockId: 'a', no: 0 }, 'cannot move to position 0'],
    [
      'an undeclared variable of a template block',
      { uniqueBlockId: 'a', variables: { nope: limit } },
      'Variable "nope" is not declared',
    ],
  ])('refuses %s', (_, element, words) => {
    expect(refusalOf(patchChain(unbound, [element], context()))).toContain(words)
  })

  test('refuses two blocks on one place', () => {
    const elements = [
      { uniqueBlockId: 'a', no: 2 },
      { uniqueBlockId: 'c', no: 2 },
    ]
    expect(refusalOf(patchChain(unbound, elements, context()))).toContain('cannot both have position 2')
  })

  test('any permutation by numbers gives exactly these numbers, whatever order the elements come in', () => {
    const size = 6
    const many = [...Array(size).keys()].map((no) => block(`b${no}`, [], { isCustomized: true }))
    const permutation = fc.shuffledSubarray([...Array(size).keys()], { minLength: size })
    fc.assert(
      fc.property(permutation, permutation, fc.nat(size), (target, sending, named) => {
        const elements = sending.map((at) => ({ uniqueBlockId: `b${at}`, no: target[at]! + 1 }))
        const all = acceptedOf(patchChain(many, elements, context()))
        for (const { uniqueBlockId, no } of elements) expect(all[no - 1]?.uniqueBlockId).toBe(uniqueBlockId)

        // Naming only some: those that ask to move stand where they asked, the rest keep their order.
        const some = elements.slice(0, named)
        const partly = acceptedOf(patchChain(many, some, context()))
        const movers = some.filter(({ uniqueBlockId, no }) => many[no - 1]?.uniqueBlockId !== uniqueBlockId)
        for (const { uniqueBlockId, no } of movers) expect(partly[no - 1]?.uniqueBlockId).toBe(uniqueBlockId)
        const isStaying = (id: string) => !movers.some((mover) => mover.uniqueBlockId === id)
        expect(ids(partly).filter(isStaying)).toEqual(ids(many).filter(isStaying))
      }),
      { numRuns: 300 },
    )
  })
})

describe('a new custom workflow', () => {
  test('keeps the ids it brings and gets the missing ones', () => {
    const elements = [
      { uniqueBlockId: 'mine', script: 'return 1' },
      { script: 'return 2', dataSources: ['mine'] },
    ]
    const result = acceptedOf(makeChain(elements, context()))
    expect(ids(result)).toEqual(['mine', 'new-1'])
    expect(result.every((item) => item.isCustomized)).toBe(true)
  })

  test('can be made from the chain that another workflow shows', () => {
    const source = acceptedOf(patchChain(chain, [], context())).map((item) => ({ ...item, blockTemplateId: null }))
    const copy = acceptedOf(
      makeChain(
        source.map((item, index) => ({ ...item, no: index + 1 })),
        context(),
      ),
    )
    expect(copy).toEqual(source)
  })

  test('refuses one id for two blocks', () => {
    const twice = { uniqueBlockId: 'mine', script: 'return 1' }
    expect(refusalOf(makeChain([twice, twice], context()))).toContain('mine more than once')
  })

  test('a patch never yields an invalid chain, whatever it asks for', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd', 'ghost')
    const element: fc.Arbitrary<ChainElementInput> = fc.record(
      {
        uniqueBlockId: id,
        no: fc.integer({ min: -1, max: 6 }),
        script: fc.constantFrom('return 1', 'return 2'),
        dataSources: fc.array(id, { maxLength: 3 }),
        isDeleted: fc.boolean(),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.array(element, { maxLength: 4 }), fc.boolean(), (elements, isBound) => {
        const before = JSON.stringify(chain)
        const result = patchChain(chain, elements, context({ isBound }))
        expect(JSON.stringify(chain)).toBe(before)
        if (!result.ok) {
          for (const problem of result.problems) expect(problem.message).toMatch(/^[A-Z].*\.$|^unbound/)
          return
        }
        const known = new Set(ids(result.value))
        expect(known.size).toBe(result.value.length)
        for (const item of result.value) for (const source of item.dataSources) expect(known).toContain(source)
        if (isBound) expect(result.value.map((item) => item.dataSources)).toEqual(chain.map((item) => item.dataSources))
        // The same request on the result changes nothing more, unless it adds blocks.
        if (elements.every((item) => item.uniqueBlockId && !item.isDeleted && item.no === undefined)) {
          expect(acceptedOf(patchChain(result.value, elements, context({ isBound })))).toEqual(result.value)
        }
      }),
      { numRuns: 1_000 },
    )
  })
})
