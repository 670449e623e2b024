import { describe, expect, test } from 'vitest'
import { mergeVariables } from '../../src/engine/block-variables.ts'
import type { VariableBinding } from '../../src/engine/chain.ts'
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
})
