import { maskedValue } from '@patchbay/contract'
import { describe, expect, test } from 'vitest'
import { findUnknownVariables, parseBinding, resolveVariables } from '../../src/engine/chain/bindings.ts'
import { fitsType, inferVariableType, isSet, type VariableType } from '../../src/engine/variables/variable-values.ts'
import {
  declareVariables,
  findUnsetVariables,
  setVariables,
  type WorkflowVariable,
} from '../../src/engine/variables/workflow-variables.ts'
import { acceptedOf, block, refusalOf } from './chain-samples.ts'

const variable = (
  type: VariableType,
  value: unknown = null,
  rest: Partial<WorkflowVariable> = {},
): WorkflowVariable => ({
  type,
  value,
  required: false,
  displayName: type,
  ...rest,
})

describe('types', () => {
  const fits: [VariableType, unknown[], unknown[]][] = [
    ['text', ['', 'x'], [1, true, [], {}]],
    ['password', ['x'], [1, {}]],
    ['number', [0, -1.5], ['1', Number.NaN, Number.POSITIVE_INFINITY, true]],
    ['boolean', [true, false], ['true', 0]],
    [
      'date',
      ['2026-02-28', '2024-02-29', '2026-01-31T08:00:00Z', '2026-01-31T08:00', '2026-01-31T08:00:00.123+02:00'],
      [
        ...['2026-02-29', '2026-13-01', '31.01.2026', '2026-01-31T25:00:00Z', '2026-01-31T24:00:00Z', 'today'],
        ...['2026-01-31 08:00', 'x2026-01-31', '2026-01-31x', 20260131, ['2026-01-31']],
        ...['2026-01-00', '2026-01-31T10:60', '2026-01-31T10:00:60Z', '2026-01-31T10:00:00.', '2026-01-31T10Z'],
      ],
    ],
    ['select', ['red', 'green'], ['blue', 1, ['red']]],
    ['multiselect', [[], ['red'], ['red', 'green']], ['red', ['blue'], ['red', 'red'], [1]]],
    ['json', [{}, [], 1, 'x', false], [undefined]],
  ]
  test.each(fits)('%s', (type, good, bad) => {
    const definition = { type, ...(type.endsWith('select') && { options: ['red', 'green'] }) }
    for (const value of good) expect(fitsType(definition, value), JSON.stringify(value)).toBe(true)
    for (const value of bad) expect(fitsType(definition, value), JSON.stringify(value)).toBe(false)
    expect(fitsType(definition, null)).toBe(true)
  })

  test('a select without options takes any text, and nothing else', () => {
    expect(fitsType({ type: 'select' }, 'anything')).toBe(true)
    expect(fitsType({ type: 'select' }, 1)).toBe(false)
    expect(fitsType({ type: 'multiselect' }, ['anything', 1])).toBe(false)
  })

  test('an empty text and an empty list set nothing; whatever else looks empty does', () => {
    for (const empty of [null, undefined, '', []]) expect(isSet(empty)).toBe(false)
    for (const set of [0, false, {}, { length: 0 }, [null], ' ']) expect(isSet(set)).toBe(true)
  })

  test('are inferred from values', () => {
    expect([1, true, 'x', { a: 1 }, [1], null].map(inferVariableType)).toEqual([
      'number',
      'boolean',
      'text',
      'json',
      'json',
      'json',
    ])
  })
})

describe('setting workflow variables', () => {
  const current = new Map([
    ['name', variable('text', 'old')],
    ['count', variable('number', 1)],
    ['token', variable('password', 'secret')],
    ['extra', variable('json')],
  ])
  const set = (input: Record<string, unknown>, isBound = true) => setVariables(current, input, isBound)
  const valuesAfter = (input: Record<string, unknown>) =>
    Object.fromEntries([...acceptedOf(set(input))].map(([name, { value }]) => [name, value]))

  test('takes the bare and the long form, and leaves the others alone', () => {
    expect(valuesAfter({ name: 'bare', count: { value: 2 } })).toEqual({
      name: 'bare',
      count: 2,
      token: 'secret',
      extra: null,
    })
  })

  test('takes back what an answer shows, masked password included', () => {
    const shown = Object.fromEntries(
      [...current].map(([name, { type, value, required, displayName }]) => [
        name,
        { value: type === 'password' ? maskedValue : value, type, required, displayName },
      ]),
    )
    expect(acceptedOf(set(shown))).toEqual(current)
  })

  test('what is not said stays, whatever the workflow follows', () => {
    const colour = variable('select', 'red', { required: true, displayName: 'Colour', options: ['red', 'green'] })
    for (const isBound of [true, false]) {
      const after = acceptedOf(setVariables(new Map([['colour', colour]]), { colour: 'green' }, isBound))
      expect(after.get('colour')).toStrictEqual({ ...colour, value: 'green' })
    }
    const refused = { colour: { value: 'red', options: ['red'] } }
    expect(refusalOf(setVariables(new Map([['colour', colour]]), refused, true))).toContain('comes from the template')
    const after = acceptedOf(setVariables(new Map([['colour', colour]]), refused, false))
    expect(after.get('colour')).toStrictEqual({ ...colour, options: ['red'] })
    expect(refusalOf(setVariables(new Map([['colour', colour]]), { colour: 'blue' }, false))).toBe(
      'Variable "colour" must be one of its options: red, green.',
    )
  })

  test('an object of these fields is the long form, and never for JSON', () => {
    expect(refusalOf(set({ name: { type: 7 } }, false))).toContain('Variable "name" has the unknown type "7".')
    expect(refusalOf(set({ name: { type: 'x' } }, false))).toContain('Variable "name" has the unknown type "x".')
    expect(valuesAfter({ extra: { type: 'date' } })['extra']).toEqual({ type: 'date' })
    expect(acceptedOf(set({ name: { type: 'json' } }, false)).get('name')).toMatchObject({ type: 'json', value: 'old' })
    expect(valuesAfter({ extra: [1] })['extra']).toEqual([1])
  })

  test('an undeclared name is refused with the way out, where there is one', () => {
    const sentence = 'Variable "nope" is not declared in this workflow.'
    expect(refusalOf(set({ nope: 1 }, false))).toBe(`${sentence} Give its type to add it.`)
    expect(refusalOf(set({ nope: { type: 'text' } }, true))).toBe(sentence)
    expect(refusalOf(set({ nope: { isDeleted: true, type: 'text' } }, false))).toBe(sentence)
  })

  test('a bare JSON object with a field named value among others is a value', () => {
    expect(valuesAfter({ extra: { value: 1, unit: 'kg' } })['extra']).toEqual({ value: 1, unit: 'kg' })
    expect(valuesAfter({ extra: { value: { value: 1 } } })['extra']).toEqual({ value: 1 })
  })

  test('null unsets', () => {
    expect(valuesAfter({ count: null, name: { value: null } })).toMatchObject({ count: null, name: null })
  })

  test('refuses undeclared names and wrong types, all of them at once', () => {
    expect(refusalOf(set({ nope: 1, count: '2', name: { value: 3 } }))).toBe(
      'Variable "nope" is not declared in this workflow. Variable "count" must be a number. Variable "name" must be text.',
    )
    expect(refusalOf(set(JSON.parse('{"__proto__": 1}')))).toContain('"__proto__" is not declared')
  })

  test('a variable without a template can be added with its type, changed and removed', () => {
    const after = acceptedOf(
      set(
        { added: { type: 'date' }, name: { type: 'password' }, count: { isDeleted: true }, extra: { type: 'x' } },
        false,
      ),
    )
    expect(after.get('added')).toMatchObject({ type: 'date', value: null })
    expect(after.get('name')).toMatchObject({ type: 'password', value: 'old' })
    expect(after.has('count')).toBe(false)
    expect(after.get('extra')?.value).toEqual({ type: 'x' })
    expect(refusalOf(set({ nope: 1 }, false))).toContain('"nope" is not declared')
    expect(refusalOf(set({ name: { type: 'number' } }, false))).toContain('"name" must be a number')
    expect(refusalOf(set({ nope: { isDeleted: true } }, false))).toContain('"nope" is not declared')
  })

  test('with a template only values change', () => {
    for (const input of [
      { name: { isDeleted: true } },
      { name: { value: 'x', type: 'json' } },
      { name: { value: 'x', required: true } },
    ])
      expect(refusalOf(set(input))).toContain('"name" comes from the template')
  })

  test('a password never becomes readable, and stars are none', () => {
    expect(refusalOf(set({ token: { type: 'text' } }, false))).toContain('"token" is a password')
    expect(refusalOf(set({ token: { type: 'text', value: maskedValue } }, false))).toContain('"token" is a password')
    expect(acceptedOf(set({ token: { type: 'text', value: 'open' } }, false)).get('token')?.value).toBe('open')
    expect(refusalOf(declareVariables({ key: { type: 'password', value: maskedValue } }))).toContain(
      '"key" is a password',
    )
    const unset = new Map([['token', variable('password')]])
    expect(refusalOf(setVariables(unset, { token: maskedValue }, true))).toContain('"token" is a password')
  })

  test('required variables without a value are found, empty ones too', () => {
    const required = { required: true }
    const problems = findUnsetVariables(
      new Map([
        ['unset', variable('text', null, required)],
        ['empty', variable('text', '', required)],
        ['none', variable('multiselect', [], required)],
        ['zero', variable('number', 0, required)],
        ['no', variable('boolean', false, required)],
        ['optional', variable('text')],
      ]),
    )
    expect(problems.map(({ message }) => /"(.+)"/.exec(message)?.[1])).toEqual(['unset', 'empty', 'none'])
    expect(problems.map(({ need }) => need)).toEqual(
      ['unset', 'empty', 'none'].map((name) => ({ kind: 'variable', name })),
    )
  })
})

describe('declaring the variables of a custom workflow', () => {
  test('takes the type from the value', () => {
    const declared = acceptedOf(declareVariables({ a: 1, b: { value: true }, c: 'x', d: { x: 1 } }))
    expect([...declared].map(([name, { type, value }]) => [name, type, value])).toEqual([
      ['a', 'number', 1],
      ['b', 'boolean', true],
      ['c', 'text', 'x'],
      ['d', 'json', { x: 1 }],
    ])
  })

  test('stars are an ordinary text where there is no password', () => {
    expect(acceptedOf(declareVariables({ word: maskedValue })).get('word')).toStrictEqual({
      type: 'text',
      value: maskedValue,
      required: false,
      displayName: 'word',
    })
  })

  test('options are its texts', () => {
    const given = { colour: { type: 'select', options: ['red', 1, 'green'], value: 'red' } }
    expect(acceptedOf(declareVariables(given)).get('colour')).toMatchObject({ options: ['red', 'green'] })
  })

  test('a named type rules, and must fit its value', () => {
    const declared = acceptedOf(
      declareVariables({ key: { value: 's', type: 'Password', required: true, displayName: 'Key' } }),
    )
    expect(declared.get('key')).toEqual({ type: 'password', value: 's', required: true, displayName: 'Key' })
    expect(refusalOf(declareVariables({ when: { value: 'soon', type: 'date' } }))).toContain('"when" must be a date')
    expect(refusalOf(declareVariables({ x: { value: 1, type: 'toString' } }))).toContain('unknown type "toString"')
    const known = acceptedOf(declareVariables({ x: 1 }))
    expect(refusalOf(setVariables(known, { x: { type: 'foo' } }, false))).toContain('unknown type "foo"')
  })
})

describe('bindings of a block', () => {
  test('are read in any case of variableSource', () => {
    expect(acceptedOf(parseBinding('a', { variableSource: 'value', value: 1 }))).toEqual({
      variableSource: 'Value',
      value: 1,
    })
    expect(acceptedOf(parseBinding('a', { variableSource: 'WORKFLOW', variableName: 'x' }))).toEqual({
      variableSource: 'Workflow',
      variableName: 'x',
    })
  })

  test.each([
    [1],
    [null],
    [[]],
    [{}],
    [{ value: 1 }],
    [{ variableSource: 'Vault' }],
    [{ variableSource: 'Value' }],
    [{ variableSource: 'Workflow' }],
    [{ variableSource: 'Workflow', variableName: '' }],
    [{ variableSource: 'Workflow', variableName: 7 }],
  ])('%j is refused by name', (input) => {
    expect(refusalOf(parseBinding('colour', input))).toContain('Variable "colour"')
  })

  const bound = block('a', [], {
    variables: {
      own: { variableSource: 'Value', value: 5 },
      shared: { variableSource: 'Workflow', variableName: 'customer' },
    },
  })

  test('resolve to values', () => {
    expect(acceptedOf(resolveVariables(bound, new Map([['customer', 'ACME']])))).toEqual({ own: 5, shared: 'ACME' })
    expect(acceptedOf(resolveVariables(bound, new Map([['customer', undefined]])))).toEqual({ own: 5, shared: null })
  })

  test('to a workflow variable that does not exist are named', () => {
    expect(refusalOf(resolveVariables(bound, new Map()))).toContain('"customer"')
    expect(findUnknownVariables([bound], new Set(['other']))).toMatchObject([
      { message: expect.stringMatching(/\(a\) is bound to the workflow variable "customer"/) },
    ])
    expect(findUnknownVariables([bound], new Set(['customer']))).toEqual([])
  })
})
