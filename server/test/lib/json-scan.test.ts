import fc from 'fast-check'
import { expect, it } from 'vitest'
import { scanJson } from '../../src/lib/json-scan.ts'

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
const scan = (text: string, depthMax = 50) => scanJson(Buffer.from(text), depthMax)

it('calls the same texts JSON as the parser does', () => {
  const piece = fc.constantFrom(
    ...'{}[],:"\\ \n',
    'true',
    'null',
    '1',
    '-0',
    '.5',
    'e+1',
    '01',
    '"a"',
    '\\u00e5',
    'tru',
    '\t',
    'å',
  )
  const soup = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
  const cut = fc.tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '}', '"', '0')).map(([text, at, inserted]) => {
    const place = at % (text.length + 1)
    return text.slice(0, place) + inserted + text.slice(place + 1)
  })
  fc.assert(
    fc.property(fc.oneof(soup, fc.json(), cut), (text) => {
      expect(scan(text).kind === 'json').toBe(isJson(text))
    }),
    { numRuns: 5000 },
  )
})

it('counts values and names, and knows an object', () => {
  expect(scan(' {"a": [1, {}, "x"], "b": null} ')).toEqual({ kind: 'json', values: 8, isObject: true })
  expect(scan('[]')).toEqual({ kind: 'json', values: 1, isObject: false, items: 0 })
  expect(scan('[[1, 2], {"a": 3}, 4]')).toMatchObject({ items: 3 })
})

it('stops at the depth it is given', () => {
  expect(scan(`${'['.repeat(5)}${']'.repeat(5)}`, 5).kind).toBe('json')
  expect(scan('['.repeat(1_000_000), 5).kind).toBe('tooDeep')
})

it('looks no further than the number of values it is given', () => {
  expect(scanJson(Buffer.from('[1, 2, 3]'), 5, 4).kind).toBe('json')
  expect(scanJson(Buffer.from('[1, 2, 3'), 5, 3).kind).toBe('tooMany')
})
