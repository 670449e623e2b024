import { describe, expect, it } from 'vitest'
import { stepText } from '../src/ui/step-text.ts'
import { fieldsOf, namesIn, previewOf, valueAt } from '../src/workflows/sample-paths.ts'

const roots = { Datasource: [[{ no: 7, lines: [{ sku: 'A' }], customer: { name: 'Ann' } }], { total: 3 }] }
const at = (script: string, way: string) => valueAt(namesIn(script, roots), way)

describe('a way into the sample', () => {
  it('follows members and positions, and ends where the sample does', () => {
    expect(valueAt(roots, 'Datasource[0][0].customer.name')).toBe('Ann')
    expect(valueAt(roots, 'Datasource[0][0]?.customer?.name')).toBe('Ann')
    expect(valueAt(roots, 'Datasource[5].x')).toBeUndefined()
    expect(valueAt(roots, 'nothing.here')).toBeUndefined()
    expect(valueAt(roots, 'Datasource.constructor')).toBeUndefined()
  })
})

describe("a script's own names", () => {
  it.each([
    ['const orders = Datasource[0]\n', 'orders[0].no', 7],
    ['const [orders, sums] = Datasource\n', 'sums.total', 3],
    ['for (const order of Datasource[0]) {}', 'order.no', 7],
    ['Datasource[0].map((order) => order)', 'order.customer.name', 'Ann'],
    ['Datasource[0].filter(order => order)', 'order.no', 7],
    ['const orders = Datasource[0]\nfor (const order of orders) order.lines.forEach((line) => line)', 'line.sku', 'A'],
  ])('%s', (script, way, value) => {
    expect(at(script, way)).toBe(value)
  })

  it('do not include what cannot be told', () => {
    expect(at('const orders = await load()\n', 'orders')).toBeUndefined()
  })
})

it('offers the fields of an object with what they hold, and none of a list', () => {
  expect(fieldsOf({ no: 7, name: 'Ann', 'odd name': 1 })).toEqual([
    { name: 'no', preview: '7' },
    { name: 'name', preview: '"Ann"' },
  ])
  expect(fieldsOf([1])).toEqual([])
  expect(previewOf([1, 2])).toBe('list of 2')
})

it('writes each step as a script would', () => {
  expect([stepText('0', true), stepText('no', false), stepText('odd name', false)]).toEqual([
    '[0]',
    '.no',
    '["odd name"]',
  ])
})
