import { describe, expect, test } from 'vitest'
import { mergeVariables } from '../../src/engine/chain/block-variables.ts'
import type { VariableBinding } from '../../src/engine/chain/chain.ts'
import type { BlockTemplate } from '../../src/engine/chain/element-rules.ts'
import { acceptedOf, block, refusalOf } from './chain-samples.ts'

const unbound = { isBound: false, blockTemplates: new Map() }
const value = (given: unknown, type?: 'text' | 'password' | 'json'): VariableBinding =>
  ({ variableSource: 'Value', value: given, ...(type ? { type } : {}) }) as VariableBinding
const from = (variableName: string): VariableBinding => ({ variableSource: 'Workflow', variableName })

const stored = { word: value('a'), list: value({ a: 1, b: 2 }, 'json'), shared: from('customer') }
const own = block('a', [], { blockTemplateId: null, variables: stored })
const merged = (given: Record<string, unknown>) => acceptedOf(mergeVariables(own, given, unbound))

describe('variables of a block', () => {
  test('that are posted back as they are stay the very same object', () => {
    expect(merged({})).toBe(stored)
    expect(merged(stored)).toBe(stored)
    expect(merged({ word: value('a') })).toBe(stored)
    expect(merged({ shared: from('customer') })).toBe(stored)
  })

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['another value', { word: value('b') }, { ...stored, word: value('b') }],
    ['another type', { word: value('a', 'text') }, { ...stored, word: value('a', 'text') }],
    ['another order of keys', { list: value({ b: 2, a: 1 }) }, { ...stored, list: value({ b: 2, a: 1 }, 'json') }],
    ['another workflow variable', { shared: from('order') }, { ...stored, shared: from('order') }],
    ['a value in place of a workflow variable', { shared: value('x') }, { ...stored, shared: value('x') }],
    ['a workflow variable in place of a value', { word: from('order') }, { ...stored, word: from('order') }],
    ['a further one', { more: value(1) }, { ...stored, more: value(1) }],
    ['one less', { word: { isDeleted: true } }, { list: stored.list, shared: stored.shared }],
  ])('change with %s', (_what, given, expected) => {
    expect(merged(given)).toEqual(expected)
    expect(JSON.stringify(merged(given))).toBe(JSON.stringify(expected))
  })

  test('keep a password that is shown as stars, and no other value', () => {
    const secret = block('a', [], { blockTemplateId: null, variables: { key: value('s3cret', 'password') } })
    expect(acceptedOf(mergeVariables(secret, { key: value('********') }, unbound))).toBe(secret.variables)
    expect(refusalOf(mergeVariables(secret, { key: value('********', 'text') }, unbound))).toContain('Give its value')
    expect(refusalOf(mergeVariables(secret, { key: { type: 'text' } }, unbound))).toContain('Give its value')
    expect(refusalOf(mergeVariables(own, { key: value('********', 'password') }, unbound))).toContain('Give its value')
    const unset = block('a', [], { blockTemplateId: null, variables: { key: value(null, 'password') } })
    expect(refusalOf(mergeVariables(unset, { key: value('********') }, unbound))).toContain('Give its value')
    expect(acceptedOf(mergeVariables(unset, { key: { type: 'text' } }, unbound))).toEqual({ key: value(null, 'text') })
    expect(acceptedOf(mergeVariables(own, { word: value('********') }, unbound))).toEqual({
      ...stored,
      word: value('********'),
    })
  })

  test.each<[Record<string, unknown>, RegExp]>([
    [{ gone: { isDeleted: true } }, /"gone" is not declared in block "Block a" \(a\)\.$/],
    [{ word: value('a', 'colour' as never) }, /"word" has an unknown type\. Known types: text, /],
    [{ word: { ...value('a'), type: 7 } }, /"word" has an unknown type/],
    [{ list: value(() => {}, 'text') }, /"list" of block "Block a" \(a\) must be /],
    [{ word: 'bare' }, /"word" must be an object with variableSource\./],
    [{ word: '' }, /"word" must be an object with variableSource\./],
    [{ word: null }, /"word" must be an object with variableSource\./],
    [{ word: value('********', 'password') }, /Give its value/],
  ])('refuse %j', (given, words) => expect(refusalOf(mergeVariables(own, given, unbound))).toMatch(words))

  test('of a bound block are those of its template', () => {
    const bound = { isBound: true, blockTemplates: new Map() }
    expect(refusalOf(mergeVariables(own, { more: value(1) }, bound))).toMatch(/"more" is not declared .*\.$/)
    expect(refusalOf(mergeVariables(own, { more: value(1) }, bound))).not.toContain('Give its type')
    expect(refusalOf(mergeVariables(own, { word: value('a', 'text') }, bound))).toContain('unboundFromTemplate')
    expect(refusalOf(mergeVariables(own, { word: { isDeleted: true } }, bound))).toMatch(/template/)
    const templated = block('a', [], { variables: {} })
    expect(refusalOf(mergeVariables(templated, { more: value(1) }, unbound))).toContain('Give its type to add it.')
    expect(acceptedOf(mergeVariables(templated, { more: value('x', 'text') }, unbound))).toEqual({
      more: value('x', 'text'),
    })
  })

  test('take a type alone, and keep what is stored', () => {
    expect(merged({ word: {} })).toBe(stored)
    expect(merged({ word: { type: 'json' } })).toEqual({ ...stored, word: value('a', 'json') })
    expect(merged({ word: value('b', 'text') })).toEqual({ ...stored, word: value('b', 'text') })
    expect(merged({ more: { ...from('order'), type: 'text' } })).toEqual({
      ...stored,
      more: { ...from('order'), type: 'text' },
    })
  })

  test('of which one was a password may become a text with another value, or when it holds none', () => {
    const variables = { key: value('s3cret', 'password'), bound: { ...from('customer'), type: 'password' as const } }
    const secret = block('a', [], { blockTemplateId: null, variables })
    const changed = (given: Record<string, unknown>) => acceptedOf(mergeVariables(secret, given, unbound))
    expect(changed({ key: value('open', 'text') })).toEqual({ ...variables, key: value('open', 'text') })
    expect(changed({ key: { type: 'password' } })).toBe(variables)
    expect(changed({ bound: { type: 'text' } })).toEqual({
      ...variables,
      bound: { ...from('customer'), type: 'text' },
    })
  })
})

describe('variables that the template of a block declares', () => {
  const template: BlockTemplate = {
    id: 'template-of-the-block',
    name: 'Paint',
    applicationShortName: null,
    script: '',
    variables: {
      colour: { type: 'select', required: false, displayName: 'Colour', options: ['red', 'green'] },
      size: { type: 'number', required: false, displayName: 'Size' },
    },
  }
  const blockTemplates = new Map([[template.id, template]])
  const painted = block('a', [], { variables: { size: value(1) } })
  const changed = (given: Record<string, unknown>, isBound: boolean) =>
    mergeVariables(painted, given, { isBound, blockTemplates })

  test.each([true, false])('need not be stored, have their type and options from it (bound: %s)', (isBound) => {
    expect(acceptedOf(changed({ colour: value('red') }, isBound))).toStrictEqual({
      size: value(1),
      colour: value('red'),
    })
    expect(acceptedOf(changed({ size: { ...value(2), type: 'number' } }, isBound))).toStrictEqual({ size: value(2) })
    expect(refusalOf(changed({ colour: value('blue') }, isBound))).toBe(
      'Variable "colour" of block "Block a" (a) must be one of its options.',
    )
    expect(refusalOf(changed({ size: value('2') }, isBound))).toContain('must be a number')
  })

  test('are free of its options under another type', () => {
    const other = { ...value(['blue']), type: 'multiselect' }
    expect(acceptedOf(changed({ colour: other }, false))).toStrictEqual({ size: value(1), colour: other })
    expect(refusalOf(changed({ colour: other }, true))).toContain('has its type from the template')
  })
})
