// What happens to values, their types and their order when the template declares its variables anew.
import { describe, expect, it } from 'vitest'
import type { ChainBlock } from '../../src/engine/chain/chain.ts'
import { keepTypes, mergeDeclarations, typeOf } from '../../src/engine/merge/merge-declarations.ts'
import { mergeDefinitions } from '../../src/engine/merge/merge-definitions.ts'
import { mergeOrder } from '../../src/engine/merge/merge-order.ts'
import type { Mergeable, NamedVariable } from '../../src/engine/merge/mergeable.ts'
import { findMisfits } from '../../src/engine/merge/misfits.ts'
import type { VariableDefinition, VariableType } from '../../src/engine/variables/variable-values.ts'
import { block, definition } from './chain-samples.ts'

const declared = (type: VariableType, options?: string[]): VariableDefinition => ({
  type,
  required: false,
  displayName: 'x',
  ...(options && { options }),
})
const variable = (name: string, type: VariableType, value: unknown, options?: string[]): NamedVariable => ({
  ...declared(type, options),
  name,
  value,
})
const value = (given: unknown, type?: VariableType) =>
  ({ variableSource: 'Value', value: given, ...(type && { type }) }) as const
const from = (variableName: string) => ({ variableSource: 'Workflow', variableName }) as const
const template = 'template-of-the-block'

describe('declarations', () => {
  const side = (type?: VariableType) =>
    definition([], type ? { blockVariables: { [template]: { word: declared(type) } } } : {})
  const merged = (base: Mergeable, ours: Mergeable, theirs: Mergeable, chain = [block('a')]) =>
    mergeDeclarations({ base, ours, theirs }, chain)
  const of = (type: VariableType) => ({ [template]: { word: declared(type) } })

  it('are the customer’s as long as the template says what it always said', () => {
    expect(merged(side('text'), side('number'), side('text'))).toEqual(of('number'))
    expect(merged(side('text'), side('number'), side())).toEqual(of('number'))
  })

  it('are the template’s once it says something else, or the customer has none', () => {
    expect(merged(side('text'), side('number'), side('date'))).toEqual(of('date'))
    expect(merged(side('text'), side(), side('text'))).toEqual(of('text'))
    expect(merged(side(), side('text'), side('date'))).toEqual(of('date'))
  })

  it('are those of the blocks that are there, and nothing where nobody declares any', () => {
    expect(merged(side('text'), side('text'), side('text'), [])).toEqual({})
    const ownBlock = block('b', [], { blockTemplateId: null })
    expect(merged(side(), side(), side(), [block('a'), ownBlock])).toEqual({ [template]: {} })
  })
})

describe('the type of a value', () => {
  it('is what the block says, else what its template declares', () => {
    const declarations = { [template]: { word: declared('date') } }
    const with_ = (rest: Partial<ChainBlock>) => block('a', [], { variables: { word: value('x') }, ...rest })
    expect(typeOf(with_({ variables: { word: value('x', 'text') } }), 'word', declarations)).toBe('text')
    expect(typeOf(with_({}), 'word', declarations)).toBe('date')
    expect(typeOf(with_({ blockTemplateId: null }), 'word', { ...declarations, null: {} })).toBeUndefined()
    expect(typeOf(with_({}), 'word', {})).toBeUndefined()
    expect(typeOf(with_({}), 'toString', declarations)).toBeUndefined()
  })

  const keep = (binding: ChainBlock['variables'][string], was: VariableType, now: VariableType | undefined) => {
    const old = block('a', [], { variables: { word: binding } })
    const ours = definition([old], { blockVariables: { [template]: { word: declared(was) } } })
    const declarations = { [template]: now ? { word: declared(now) } : {} }
    return keepTypes([block('a', [], { variables: { word: binding } })], declarations, ours)[0]?.variables['word']
  }

  it('stays where the template no longer declares one', () => {
    expect(keep(value('2026-01-01'), 'date', undefined)).toEqual(value('2026-01-01', 'date'))
    expect(keep(from('day'), 'date', undefined)).toEqual({ ...from('day'), type: 'date' })
    expect(keep(value(''), 'date', undefined)).toEqual(value(''))
  })

  it('follows the template, but for a password', () => {
    expect(keep(value('x'), 'text', 'date')).toEqual(value('x'))
    expect(keep(value('x'), 'password', 'password')).toEqual(value('x'))
    expect(keep(value('x'), 'password', 'text')).toEqual(value('x', 'password'))
    expect(keep(value(null), 'password', 'text')).toEqual(value(null))
    expect(keep(from('key'), 'password', 'text')).toEqual({ ...from('key'), type: 'password' })
  })

  it('is nothing to keep for a value of the template, a new block, or one without a type', () => {
    const ours = definition([block('a', [], { variables: { word: value('mine') } })], {
      blockVariables: { [template]: { word: declared('password') } },
    })
    const theirs = [block('a', [], { variables: { word: value('theirs') } }), block('new')]
    expect(keepTypes(theirs, {}, ours)).toEqual(theirs)
    const untyped = definition([block('a', [], { variables: { word: value('mine') } })])
    expect(keepTypes(untyped.chain, { [template]: { word: declared('text') } }, untyped)).toEqual(untyped.chain)
  })
})

describe('values that no longer fit', () => {
  const withBlock = (given: unknown, definitions: Record<string, VariableDefinition>, rest: Partial<ChainBlock> = {}) =>
    definition([block('a', [], { variables: { word: value(given) }, ...rest })], {
      blockVariables: { [template]: definitions },
    })
  const none = definition([])

  it('are named with what is wanted, of the workflow and of a block', () => {
    expect(findMisfits(none, definition([], { variables: [variable('size', 'number', 'large')] }))).toEqual([
      { message: 'The value of variable "size" no longer fits: it must be a number.', variable: 'size' },
    ])
    expect(
      findMisfits(none, definition([], { variables: [variable('size', 'select', 'XL', ['S', 'M'])] })),
    ).toMatchObject([{ message: expect.stringContaining('(S, M)') }])
    expect(findMisfits(none, withBlock('large', { word: declared('number') }))).toEqual([
      {
        message: 'The value of variable "word" of block "Block a" (a) no longer fits: it must be a number.',
        variable: 'word',
        uniqueBlockId: 'a',
      },
    ])
    expect(findMisfits(none, withBlock('blue', { word: declared('select', ['red', 'green']) }))).toMatchObject([
      { message: expect.stringContaining('(red, green)'), uniqueBlockId: 'a' },
    ])
  })

  it('are no news when they did not fit before', () => {
    const before = withBlock('large', { word: declared('number') })
    expect(findMisfits(before, before)).toEqual([])
    expect(findMisfits(before, withBlock('large', { word: declared('boolean') }))).toEqual([])
    const wrong = definition([], { variables: [variable('size', 'number', 'large')] })
    expect(findMisfits(wrong, wrong)).toEqual([])
  })

  it('are none that fit, are empty, come from the workflow, or have no declared type', () => {
    expect(findMisfits(none, withBlock(1, { word: declared('number') }))).toEqual([])
    expect(findMisfits(none, withBlock('red', { word: declared('select', ['red']) }))).toEqual([])
    expect(findMisfits(none, withBlock(undefined, { word: declared('number') }))).toEqual([])
    expect(findMisfits(none, withBlock('large', {}))).toEqual([])
    expect(findMisfits(none, withBlock('large', { word: declared('number') }, { blockTemplateId: null }))).toEqual([])
    expect(findMisfits(none, withBlock('x', {}, { variables: { toString: value('x') } }))).toEqual([])
    const bound = { variables: { word: from('size') } }
    expect(findMisfits(none, withBlock('', { word: declared('number') }, bound))).toEqual([])
  })

  it('are measured by the type of the block, without the options of another one', () => {
    const own = { variables: { word: value('blue', 'select') } }
    expect(findMisfits(none, withBlock('', { word: declared('multiselect', ['red']) }, own))).toEqual([])
    expect(findMisfits(none, withBlock('', {}, { variables: { word: value('x', 'number') } }))).toHaveLength(1)
    const ownBlock = { blockTemplateId: null, variables: { word: value('x', 'number') } }
    expect(findMisfits(none, withBlock('', { word: declared('text') }, ownBlock))).toHaveLength(1)
  })
})

describe('the order', () => {
  const order = (base: string, ours: string, theirs: string, kept = 'abcdxyz') =>
    mergeOrder([...base], [...ours], [...theirs], new Set(kept)).join('')

  it('is that of whoever moved something, the customer first', () => {
    expect(order('abc', 'abc', 'cab')).toBe('cab')
    expect(order('abc', 'bac', 'cab')).toBe('bac')
    expect(order('abc', 'bac', 'abc')).toBe('bac')
    expect(order('abc', 'abc', 'abc')).toBe('abc')
  })

  it('puts what only one side has after what it follows there', () => {
    expect(order('abc', 'abc', 'axbyc')).toBe('axbyc')
    expect(order('abc', 'abc', 'xabc')).toBe('xabc')
    expect(order('abc', 'axbc', 'cab')).toBe('caxb')
    expect(order('abc', 'ac', 'abxc', 'acx')).toBe('axc')
  })

  it('is not changed by what comes or goes', () => {
    expect(order('abc', 'xac', 'cab', 'xac')).toBe('xca')
    expect(order('abcd', 'abd', 'dabc', 'abd')).toBe('dab')
  })

  it('leaves out what is not kept', () => {
    expect(order('abc', 'abc', 'abxc', 'ac')).toBe('ac')
    expect(order('abc', 'abc', 'bcxa', 'ax')).toBe('xa')
  })
})

describe('a definition', () => {
  it('keeps a description of the customer, and follows the template otherwise', () => {
    const described = (description: string) => definition([], { description })
    const merged = (base: string, ours: string, theirs: string) =>
      mergeDefinitions({ base: described(base), ours: described(ours), theirs: described(theirs) }).merged.description
    expect(merged('old', 'old', 'new')).toBe('new')
    expect(merged('old', 'mine', 'new')).toBe('mine')
    expect(merged('old', 'mine', 'old')).toBe('mine')
  })

  it('says once what both sides changed in a variable, and not when they agree', () => {
    const of = (given: unknown) => definition([], { variables: [variable('word', 'text', given)] })
    const notes = (base: Mergeable, ours: Mergeable, theirs: Mergeable) =>
      mergeDefinitions({ base, ours, theirs }).notes
    expect(notes(of('a'), of('b'), of('c'))).toEqual([
      'The template changed the variable "word", but the customer\'s value is kept.',
    ])
    expect(notes(of('a'), of('b'), of('b'))).toEqual([])
    expect(notes(of('a'), of('b'), of('a'))).toEqual([])
    expect(notes(definition([]), of('b'), of('c'))).toEqual([])
  })

  it('lets an empty password of the customer follow the type of the template', () => {
    const of = (type: VariableType, given: unknown) => definition([], { variables: [variable('word', type, given)] })
    const typeAfter = (given: unknown) =>
      mergeDefinitions({ base: of('text', 'x'), ours: of('password', given), theirs: of('number', null) }).merged
        .variables[0]
    expect(typeAfter('secret')).toMatchObject({ type: 'password', value: 'secret' })
    expect(typeAfter('')).toMatchObject({ type: 'number', value: '' })
  })
})
