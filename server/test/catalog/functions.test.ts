import { createHash, createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { builtInFunctions } from '../../src/functions/built-in.ts'
import { catalogDirectory, evaluate, shippedCatalog } from './bare-context.ts'

const call = (name: string, ...args: unknown[]) =>
  evaluate(`fx.${name}(${args.map((value) => JSON.stringify(value)).join(', ')})`)

describe('the function library', () => {
  it('has at least 40 functions, each with an example', () => {
    expect(shippedCatalog.functions.length).toBeGreaterThanOrEqual(40)
    for (const item of shippedCatalog.functions) expect(item.examples.length, item.name).toBeGreaterThan(0)
  })

  it('is described in its README as in the editor, with the functions that the service itself provides', () => {
    const readme = readFileSync(join(catalogDirectory, 'functions/README.md'), 'utf8')
    const rows = [...readme.matchAll(/^\| `fx\.(\w+)\(.*?\)` \| (.*) \|$/gm)]
    const written = rows.map(([, name, meaning]) => [name, meaning?.replaceAll('\\|', '|')])
    const described = [...builtInFunctions, ...shippedCatalog.functions].map((item) => [item.name, item.description])
    expect(written.sort()).toEqual(described.sort())
  })

  const examples = shippedCatalog.functions.flatMap((item) => item.examples)
  it.each(examples.map((example) => [example.call, example.result] as const))('%s', (source, result) => {
    expect(evaluate(source)).toEqual(result)
  })
})

describe('hashing', () => {
  // Lengths around the 64-byte block are where padding goes wrong.
  const lengths = [0, 1, 3, 55, 56, 57, 63, 64, 65, 119, 120, 128, 1000]
  it.each(['sha256', 'sha1', 'md5'])('%s agrees with the platform for every padding', (algorithm) => {
    for (const length of lengths) {
      const text = 'æb😀'.repeat(length).slice(0, length)
      const wellFormed = text.toWellFormed()
      expect(call(algorithm, text)).toBe(createHash(algorithm).update(wellFormed).digest('hex'))
      expect(call(algorithm, text, 'base64')).toBe(createHash(algorithm).update(wellFormed).digest('base64'))
      expect(call('hmac', text, 'k'.repeat(length), algorithm)).toBe(
        createHmac(algorithm, 'k'.repeat(length)).update(wellFormed).digest('hex'),
      )
    }
  })

  it('refuses an algorithm it does not have', () => {
    expect(() => call('hmac', 'm', 'k', 'constructor')).toThrow('not a known algorithm')
  })
})

describe('encoding', () => {
  it('brings any text through UTF-8 and base64 and back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(call('base64Decode', call('base64Encode', text))).toBe(text)
        expect(call('base64Encode', text)).toBe(Buffer.from(text).toString('base64'))
        expect(call('base64Encode', text, true)).toBe(Buffer.from(text).toString('base64url'))
      }),
      { numRuns: 200 },
    )
  })

  it('decodes broken UTF-8 without an error', () => {
    for (const bytes of [
      [0xc0, 0x80],
      [0xed, 0xa0, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
      [0xe2, 0x82],
    ]) {
      expect(call('utf8Text', bytes)).toMatch(/^\ufffd+$/)
    }
  })

  it('refuses what is not base64 or hexadecimal', () => {
    expect(() => call('base64Bytes', 'a*b')).toThrow('not base64')
    expect(() => call('base64Bytes', 'A')).toThrow('not base64')
    expect(() => call('hexBytes', 'abc')).toThrow('not hexadecimal')
  })
})

describe('dates', () => {
  it('reads back what it wrote, in zones with and without summer time', () => {
    const zones = ['UTC', 'Europe/Oslo', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Chatham']
    const time = fc.integer({ min: Date.UTC(1975, 0), max: Date.UTC(2080, 0) })
    fc.assert(
      fc.property(time, fc.constantFrom(...zones), (milliseconds, zone) => {
        const parts = call('dateParts', milliseconds, zone)
        const back = new Date(call('dateFromParts', parts, zone) as string).getTime()
        // Of an hour that the clock shows twice the first is meant, so the second comes back an hour (or half) earlier.
        expect([0, 1_800_000, 3_600_000]).toContain(milliseconds - back)
        expect(call('dateParts', back, zone)).toMatchObject({ ...(parts as object), offsetMinutes: expect.any(Number) })
      }),
      { numRuns: 300 },
    )
  })

  it('refuses what is not a date instead of guessing', () => {
    for (const value of ['', 'tomorrow', null, {}, '2025-13-01'])
      expect(() => call('dateToIso', value)).toThrow('is not a date')
    expect(() => call('dateParse', '31.02.2025', 'dd.MM.yyyy')).toThrow('not a date that exists')
    expect(() => call('dateParse', '2025', 'dd.MM.yyyy')).toThrow('does not fit')
    expect(() => call('dateAdd', '2025-01-01', 1, 'fortnights')).toThrow('not a unit')
  })

  it('counts calendar days over the change of the clock', () => {
    expect(call('dateDiff', '2025-10-25T22:00:00Z', '2025-10-26T23:00:00Z', 'days', 'Europe/Oslo')).toBe(1)
    expect(call('dateDiff', '2020-01-01', '2025-01-01', 'days')).toBe(1827)
    expect(call('dateDiff', '2025-06-15', '2000-06-16', 'years')).toBe(-24)
  })

  it('reads quoted text and signs in a pattern literally', () => {
    expect(call('dateParse', '2025-01-02T03:04', "yyyy-MM-dd'T'HH:mm")).toBe('2025-01-02T03:04:00.000Z')
    expect(call('dateParse', '$2025(01)', '$yyyy(MM)')).toBe('2025-01-01T00:00:00.000Z')
    expect(call('dateFormat', '2025-01-02', "d ''yy 'of' M")).toBe("2 '25 of 1")
  })
})

describe('numbers', () => {
  it('sums decimals exactly', () => {
    const cents = fc.array(fc.integer({ min: -1_000_000, max: 1_000_000 }), { maxLength: 50 })
    fc.assert(
      fc.property(cents, (values) => {
        const sum = values.reduce((total, value) => total + value, 0)
        expect(
          call(
            'sumBy',
            values.map((value) => value / 100),
          ),
        ).toBe(sum / 100 + 0)
      }),
    )
    expect(call('sumBy', [1e21, 1e-7])).toBe(1e21)
    expect(() => call('sumBy', [{ a: 'x' }], 'a')).toThrow('not a number')
  })

  it('shares an amount without losing or inventing a unit', () => {
    const weights = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(fc.integer({ min: -1_000_000, max: 1_000_000 }), weights, (cents, shares) => {
        const parts = call('allocateMoney', cents / 100, shares) as number[]
        expect(call('sumBy', parts)).toBe(cents / 100 + 0)
      }),
    )
    expect(() => call('allocateMoney', 1, [0, 0])).toThrow('weights')
  })

  it('keeps net + vat = gross for every rate', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000_000 }), fc.constantFrom(0, 6, 12, 15, 19, 25), (cents, rate) => {
        for (const name of ['addVat', 'removeVat']) {
          const { net, vat, gross } = call(name, cents / 100, rate) as Record<string, number>
          expect(Math.round((net ?? 0) * 100) + Math.round((vat ?? 0) * 100)).toBe(Math.round((gross ?? 0) * 100))
        }
      }),
    )
  })
})

describe('CSV and XML', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\n', '\r', ' ', 'æ') })
  it('reads back the CSV it wrote', () => {
    const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(table, (rows) => {
        expect(call('csvParse', call('csvStringify', rows), { header: false, separator: ',' })).toEqual(rows)
      }),
      { numRuns: 300 },
    )
  })

  it('reads back the XML it wrote', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '<', '&', '"', "'", ']', '>', 'æ'), minLength: 1 })
    fc.assert(
      fc.property(text, text, (value, attribute) => {
        const document = { r: { '@a': attribute, i: [value, { '@b': attribute, '#text': value }], e: '' } }
        expect(call('xmlParse', call('xmlStringify', document))).toEqual(document)
      }),
    )
  })

  it('names the line of broken XML and refuses document types', () => {
    expect(() => call('xmlParse', '<a>\n<b></a>')).toThrow('line 2')
    expect(() => call('xmlParse', '<!DOCTYPE x [<!ENTITY e "boom">]><x>&e;</x>')).toThrow('document type')
    expect(() => call('xmlParse', '<a/><b/>')).toThrow('one root')
    expect(() => call('xmlParse', '<a>')).toThrow('not closed')
    expect(() => call('xmlStringify', { 'a b': 1 })).toThrow('cannot be the name')
    expect(() => call('csvParse', 'a,"b')).toThrow('not closed')
  })
})

describe('objects', () => {
  it('never touches the prototype of all objects', () => {
    expect(() => call('setPath', {}, '__proto__.polluted', 1)).toThrow('not a path that can be set')
    evaluate(`fx.mergeDeep({}, JSON.parse('{"__proto__":{"polluted":1}}'))`)
    evaluate(`fx.unflattenObject({ 'constructor.prototype.polluted': 1 })`)
    evaluate(`fx.groupBy([{ k: '__proto__' }], 'k')`)
    evaluate(`fx.xmlParse('<r><__proto__><polluted>1</polluted></__proto__></r>')`)
    expect(evaluate('({}).polluted ?? null')).toBeNull()
  })

  it('leaves its arguments as they were', () => {
    expect(
      evaluate(`((list) => { fx.sortBy(list, 'n'); fx.setPath(list[0], 'n', 9); return list })([{ n: 2 }, { n: 1 }])`),
    ).toEqual([{ n: 2 }, { n: 1 }])
  })
})
