import { describe, expect, it } from 'vitest'
import type { ChainBlock } from '../../src/engine/chain/chain.ts'
import { conflictKey, type Resolution } from '../../src/engine/merge/conflict.ts'
import { mergeDefinitions } from '../../src/engine/merge/merge-definitions.ts'
import { mergeLines } from '../../src/engine/merge/merge-lines.ts'
import type { Mergeable, NamedVariable } from '../../src/engine/merge/mergeable.ts'
import { block, definition } from './chain-samples.ts'

const text = (name: string, value: unknown, rest: Partial<NamedVariable> = {}): NamedVariable => ({
  name,
  type: 'text',
  required: false,
  displayName: name,
  value,
  ...rest,
})
const own = (...chain: ChainBlock[]) => definition(chain)
const merge = (base: Mergeable, ours: Mergeable, theirs: Mergeable) => mergeDefinitions({ base, ours, theirs })
const value = (given: unknown) => ({ variableSource: 'Value', value: given }) as const
const fieldsOf = ({ conflicts }: ReturnType<typeof merge>) =>
  conflicts.map(({ uniqueBlockId, field }) => [uniqueBlockId, field])
const lines = (...all: string[]) => all.join('\n')

describe('scripts', () => {
  const base = lines('one', 'two', 'three', 'four', 'five')

  it('take lines of both sides when a line between them stayed', () => {
    const merged = mergeLines(
      base,
      lines('ONE', 'two', 'three', 'four', 'five'),
      lines('one', 'two', 'three', 'FOUR', 'five'),
    )
    expect(merged).toBe(lines('ONE', 'two', 'three', 'FOUR', 'five'))
  })

  it.each([
    ['overlap', lines('one', 'TWO', 'three', 'four', 'five'), lines('one', 'zwei', 'three', 'four', 'five')],
    ['adjoin', lines('one', 'TWO', 'three', 'four', 'five'), lines('one', 'two', 'THREE', 'four', 'five')],
    [
      'are inserted at one place',
      lines('one', 'a', 'two', 'three', 'four', 'five'),
      lines('one', 'b', 'two', 'three', 'four', 'five'),
    ],
  ])('cannot be merged where changed lines %s', (_case, ours, theirs) => {
    expect(mergeLines(base, ours, theirs)).toBeUndefined()
    const sides = [base, ours, theirs].map((script) => own(block('a', [], { script })))
    const result = merge(...(sides as [Mergeable, Mergeable, Mergeable]))
    expect(result.conflicts).toMatchObject([{ uniqueBlockId: 'a', field: 'script', base, ours, theirs }])
    expect(result.merged.chain[0]?.script).toBe(ours)
  })

  it('that both sides changed in the same way are no conflict', () => {
    const both = lines('one', 'TWO', 'three', 'four', 'five')
    expect(mergeLines(base, both, lines('one', 'TWO', 'three', 'four', 'FIVE'))).toBe(
      lines('one', 'TWO', 'three', 'four', 'FIVE'),
    )
  })

  it('do not count line ends, and keep those of the customer', () => {
    const crlf = base.replaceAll('\n', '\r\n')
    const theirs = lines('one', 'two', 'three', 'four', 'FIVE', '')
    const same = merge(
      own(block('a', [], { script: base })),
      own(block('a', [], { script: crlf })),
      own(block('a', [], { script: theirs })),
    )
    expect(same.conflicts).toEqual([])
    expect(same.merged.chain[0]?.script).toBe(theirs)
    expect(mergeLines(base, crlf.replace('one', 'ONE'), theirs)).toBe('ONE\r\ntwo\r\nthree\r\nfour\r\nFIVE\r\n')
  })

  it('that the customer left alone follow the template to the letter', () => {
    const [base, theirs] = ['let a', 'let a\n']
    const sides = [base, base, theirs].map((script) => own(block('a', [], { script })))
    const result = merge(...(sides as [Mergeable, Mergeable, Mergeable]))
    expect(result.merged.chain[0]?.script).toBe(theirs)
  })

  it('of 256 KB with a thousand differences merge, and hopeless ones are left to a person', () => {
    const long = Array.from({ length: 8000 }, (_, index) => (index % 3 === 0 ? '}' : `const value${index} = ${index}`))
    const change = (offset: number, word: string) =>
      long.map((line, index) => (index % 16 === offset ? word + index : line))
    const merged = mergeLines(lines(...long), lines(...change(1, 'ours')), lines(...change(9, 'theirs')))
    expect(merged?.match(/ours/g)).toHaveLength(500)
    expect(merged?.match(/theirs/g)).toHaveLength(500)
    const blank = (word: string) => `${word}\n${'\n'.repeat(120_000)}${word}`
    expect(mergeLines(blank('base'), blank('ours'), blank('theirs'))).toBeUndefined()
  })

  it('put together are handed out to be compiled, and are a conflict when they do not', () => {
    const sides = {
      base: own(block('a', [], { script: base })),
      ours: own(block('a', [], { script: base.replace('one', 'ONE') })),
      theirs: own(block('a', [], { script: base.replace('five', 'FIVE') })),
    }
    const combined = mergeDefinitions(sides)
    expect(combined.combined.map(({ script }) => script)).toEqual([lines('ONE', 'two', 'three', 'four', 'FIVE')])
    expect(fieldsOf(mergeDefinitions({ ...sides, rejected: new Set(['a']) }))).toEqual([['a', 'script']])
  })
})

describe('fields of a block', () => {
  it('are taken from whoever changed them, and conflict when both did', () => {
    const result = merge(
      own(block('a', [], { blockName: 'Base', script: '1' })),
      own(block('a', [], { blockName: 'Ours', script: '1' })),
      own(block('a', [], { blockName: 'Theirs', script: '2' })),
    )
    expect(result.conflicts).toEqual([
      { uniqueBlockId: 'a', blockName: 'Ours', field: 'blockName', base: 'Base', ours: 'Ours', theirs: 'Theirs' },
    ])
    expect(result.merged.chain[0]).toMatchObject({ blockName: 'Ours', script: '2' })
  })

  it('that are variables keep the customer’s value and say so; an old default follows the new one', () => {
    const result = merge(
      own(block('a', [], { variables: { word: value('old'), other: value('old') } })),
      own(block('a', [], { variables: { word: value('mine'), other: value('old') } })),
      own(block('a', [], { variables: { word: value('new'), other: value('new'), added: value('x') } })),
    )
    expect(result.conflicts).toEqual([])
    expect(result.merged.chain[0]?.variables).toEqual({ word: value('mine'), other: value('new'), added: value('x') })
    expect(result.notes).toHaveLength(1)
    expect(result.notes[0]).toContain('"word"')
  })

  it('follow a resolution', () => {
    const named = (blockName: string) => own(block('a', [], { blockName }))
    const sides = { base: named('Base'), ours: named('Ours'), theirs: named('Theirs') }
    const take = (resolution: Resolution) => {
      const key = conflictKey({ uniqueBlockId: 'a', field: 'blockName' })
      const result = mergeDefinitions({ ...sides, resolutions: new Map([[key, resolution]]) })
      expect([result.conflicts, [...result.used]]).toEqual([[], [key]])
      return result.merged.chain[0]?.blockName
    }
    expect(take({ take: 'template' })).toBe('Theirs')
    expect(take({ take: 'customer' })).toBe('Ours')
    expect(take({ take: 'value', value: 'Both' })).toBe('Both')
  })

  it('mark a block as the template’s again once it says the same', () => {
    const mine = block('a', [], { script: '2', isCustomized: true })
    expect(
      merge(own(block('a', [], { script: '1' })), own(mine), own(block('a', [], { script: '2' }))).merged.chain[0],
    ).toMatchObject({ isCustomized: false })
  })
})

describe('blocks', () => {
  const [a, b, c] = [block('a'), block('b'), block('c')] as const

  it('that the template added or removed come and go', () => {
    const result = merge(own(a, b), own(a, b), own(c, a))
    expect(result.merged.chain.map(({ uniqueBlockId }) => uniqueBlockId)).toEqual(['c', 'a'])
    expect(result.conflicts).toEqual([])
  })

  it('that the template removed and the customer changed are a conflict, judged by content', () => {
    expect(fieldsOf(merge(own(a, b), own(a, { ...b, isCustomized: true }), own(a)))).toEqual([])
    const changed = merge(own(a, b), own(a, { ...b, script: 'mine' }), own(a))
    expect(changed.conflicts).toMatchObject([
      { uniqueBlockId: 'b', field: 'block', ours: { script: 'mine' }, theirs: null },
    ])
    expect(changed.merged.chain).toHaveLength(2)
    expect(merge(own(a, b), own(a, b), own(a)).merged.isCustomizedStructure).toBe(false)
    // Whoever keeps such a block has left the template, and with it every block is the customer's own.
    expect(changed.merged.isCustomizedStructure).toBe(true)
    expect(changed.merged.chain.map(({ isCustomized }) => isCustomized)).toEqual([true, true])
  })

  it('that the customer removed stay away, and are a conflict when the template changed them', () => {
    expect(merge(own(a, b), own(a), own(a, b)).merged.chain).toHaveLength(1)
    const changed = merge(own(a, b), own(a), own(a, { ...b, script: 'new' }))
    expect(changed.conflicts).toMatchObject([
      { uniqueBlockId: 'b', field: 'block', ours: null, theirs: { script: 'new' } },
    ])
  })

  it('that read from a removed one are a conflict; taking a side brings back what it reads from', () => {
    const mine = block('mine', ['b'])
    const sides = { base: own(a, b), ours: own(a, b, mine), theirs: own(a) }
    const result = mergeDefinitions(sides)
    expect(result.conflicts).toMatchObject([
      { uniqueBlockId: 'mine', field: 'dataSources', base: null, ours: ['b'], theirs: null },
    ])
    const resolved = mergeDefinitions({
      ...sides,
      resolutions: new Map([[conflictKey(result.conflicts[0] as never), { take: 'customer' }]]),
    })
    expect(resolved.conflicts).toEqual([])
    expect(resolved.merged.chain.map(({ uniqueBlockId }) => uniqueBlockId)).toEqual(['a', 'b', 'mine'])
    const apart = mergeDefinitions({
      ...sides,
      resolutions: new Map([[conflictKey(result.conflicts[0] as never), { take: 'value', value: ['a'] }]]),
    })
    expect(apart.merged.chain).toMatchObject([{ uniqueBlockId: 'a' }, { uniqueBlockId: 'mine', dataSources: ['a'] }])
  })

  it('are all gone when the template removed everything', () => {
    expect(merge(own(a, b), own(a, b), own()).merged.chain).toEqual([])
  })

  it('keep the order of whoever moved them', () => {
    const ids = (result: ReturnType<typeof merge>) =>
      result.merged.chain.map(({ uniqueBlockId }) => uniqueBlockId).join('')
    expect(ids(merge(own(a, b), own(a, b), own(b, a)))).toBe('ba')
    expect(ids(merge(own(a, b), own(b, a), own(a, b)))).toBe('ba')
    expect(ids(merge(own(a, b), own(b, a), own(a, c, b)))).toBe('bac')
  })

  it('of an unbound workflow are all its own', () => {
    const ours = definition([{ ...a, isCustomized: true }], { isCustomizedStructure: true })
    expect(merge(own(a), ours, own(a, b)).merged.chain.map(({ isCustomized }) => isCustomized)).toEqual([true, true])
  })
})

describe('variables of the workflow', () => {
  const withVariables = (...variables: NamedVariable[]) => definition([], { variables })

  it('keep what the customer gave; defaults follow; new ones come with theirs', () => {
    const result = merge(
      withVariables(text('given', 'old'), text('default', 'old'), text('gone', 'old'), text('kept', 'old')),
      withVariables(text('given', 'mine'), text('default', 'old'), text('gone', 'old'), text('kept', 'mine')),
      withVariables(text('given', 'new'), text('default', 'new'), text('added', 'x', { required: true })),
    )
    expect(result.merged.variables.map(({ name, value: now }) => [name, now])).toEqual([
      ['given', 'mine'],
      ['default', 'new'],
      ['added', 'x'],
      ['kept', 'mine'],
    ])
    expect(result.notes).toHaveLength(1)
  })

  it('that a block of the customer still binds to stay', () => {
    const bound = block('a', [], { variables: { word: { variableSource: 'Workflow', variableName: 'gone' } } })
    const base = withVariables(text('gone', 'old'))
    expect(
      merge(base, definition([bound], { variables: base.variables }), withVariables()).merged.variables,
    ).toHaveLength(1)
  })

  it('whose type no longer fits are a problem', () => {
    const result = merge(
      withVariables(text('count', null)),
      withVariables(text('count', 'many')),
      withVariables(text('count', null, { type: 'number' })),
    )
    expect(result.problems.map(({ message }) => message)).toEqual([
      'The value of variable "count" no longer fits: it must be a number.',
    ])
    expect(result.merged.variables[0]).toMatchObject({ type: 'number', value: 'many' })
  })

  it('that hold a password stay passwords', () => {
    const secret = (held: unknown) => text('token', held, { type: 'password' })
    const result = merge(
      withVariables(secret(null)),
      withVariables(secret('s3cret')),
      withVariables(text('token', null)),
    )
    expect(result.merged.variables[0]).toMatchObject({ type: 'password', value: 's3cret' })
    const declared = (type: 'password' | 'text' | undefined) => ({
      blockVariables: { t: type ? { token: { type, required: false, displayName: 'Token' } } : {} },
    })
    const holder = (held: string | null) => [
      block('a', [], { blockTemplateId: 't', variables: { token: value(held) } }),
    ]
    for (const type of ['text', undefined] as const) {
      const theirs = definition(type ? holder(null) : [block('a', [], { blockTemplateId: 't' })], declared(type))
      const inBlock = merge(
        definition(holder(null), declared('password')),
        definition(holder('s3cret'), declared('password')),
        theirs,
      )
      expect(inBlock.merged.chain[0]?.variables['token']).toEqual({ ...value('s3cret'), type: 'password' })
    }
  })
})
