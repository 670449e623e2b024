// The index against a plain scan: whatever the documents are, both find the same.
import { randomBytes } from 'node:crypto'
import { searchPlaces } from '@patchbay/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newId } from '../../src/lib/id.ts'
import { blockBytes, blockOf, mayContain } from '../../src/search/index-format/filter.ts'
import {
  bucketOf,
  findInBuckets,
  mergeSegments,
  readDocuments,
  type SearchDocument,
  type Segment,
} from '../../src/search/index-format/segment.ts'
import { hashTerms } from '../../src/search/index-format/term-hash.ts'
import { addTerms, termsToFind, textOfJson } from '../../src/search/index-format/words.ts'
import { answerIndexWork } from '../../src/search/indexing/index-work.ts'

const key = randomBytes(32)
const ids = Array.from({ length: 8 }, newId)

// Few letters and joiners, so that words meet, overlap and repeat.
const word = fc
  .array(fc.constantFrom('a', 'B', '7', 'é', 'ß', '漢'), { minLength: 1, maxLength: 3 })
  .map((all) => all.join(''))
const joiner = fc.constantFrom('-', '_', '.', '@', '/', ':', ' ', ', ', '..', '"', '\n', '😀')
const text = fc
  .array(fc.tuple(word, joiner), { maxLength: 14 })
  .map((pairs) => pairs.map(([one, other]) => one + other).join(''))
const document: fc.Arbitrary<SearchDocument> = fc.record({
  subjectId: fc.constantFrom(...ids),
  runNumber: fc.constant(null),
  blockId: fc.option(fc.constantFrom(...ids)),
  place: fc.constantFrom(...searchPlaces),
  ordinal: fc.nat(300),
  atMs: fc.integer({ min: 1_700_000_000_000, max: 1_800_000_000_000 }),
})
const documents = fc.array(fc.record({ document, text }), { minLength: 1, maxLength: 12 })

/** As the rules say it, without any index: words of a compound that stand side by side, joined as they are. */
function scan(content: string, query: string): boolean {
  const lower = (given: string) => given.normalize('NFKC').toLowerCase()
  const compounds = (given: string) =>
    [...lower(given).matchAll(/[\p{L}\p{N}\p{M}]+(?:[-_.@/:][\p{L}\p{N}\p{M}]+)*/gu)].map(([all]) => all)
  const wanted = compounds(query)
  const isWordCharacter = (character: string | undefined) =>
    character !== undefined && /[\p{L}\p{N}\p{M}]/u.test(character)
  const holds = (whole: string, part: string) => {
    for (let at = whole.indexOf(part); at >= 0; at = whole.indexOf(part, at + 1)) {
      if (!isWordCharacter(whole[at - 1]) && !isWordCharacter(whole[at + part.length])) return true
    }
    return false
  }
  return wanted.length > 0 && wanted.every((part) => compounds(content).some((whole) => holds(whole, part)))
}

function find(segment: Segment, query: string): number[] {
  const hashes = hashTerms(key, termsToFind(query))
  const block = (hash: number) => {
    const at = blockOf(hash, segment.filterBlocks) * blockBytes
    return segment.filter.subarray(at, at + 32)
  }
  const found = hashes.length === 0 ? [] : findIn(segment, hashes)
  if (!hashes.every((hash) => mayContain(block(hash), hash))) expect(found).toEqual([])
  return found
}

function findIn({ bucketOffsets, postings }: Segment, hashes: number[]): number[] {
  const bucketCount = bucketOffsets.length / 4 - 1
  const buckets = hashes.map((hash) => {
    const at = bucketOf(hash, bucketCount) * 4
    return postings.subarray(bucketOffsets.readUInt32BE(at), bucketOffsets.readUInt32BE(at + 4))
  })
  return findInBuckets(buckets, hashes)
}

const build = (given: { document: SearchDocument; text: string }[]) =>
  answerIndexWork({ kind: 'build', key, texts: given.map((one) => ({ ...one, format: 'text' as const })) })

describe('a search segment', () => {
  it('finds what a plain scan finds, and nothing else', () => {
    fc.assert(
      fc.property(documents, text, (given, query) => {
        // Documents without words are not in the index; the scan finds nothing in them either.
        const indexed = given.filter((one) => termsToFind(one.text).length > 0)
        const [segment] = build(given)
        const expected = indexed.flatMap((one, number) => (scan(one.text, query) ? [number] : []))
        expect(segment ? find(segment, query) : []).toEqual(expected)
        if (segment) expect(readDocuments(segment.documents)).toEqual(indexed.map((one) => one.document))
      }),
      { numRuns: 2_000 },
    )
  })

  it('finds every part of what it holds', () => {
    fc.assert(
      fc.property(documents, fc.nat(), fc.nat(), (given, which, from) => {
        const content = (given[which % given.length] as { text: string }).text
        const compound = termsToFind(content)[0]
        if (compound === undefined) return
        const words = compound.split(/(?<=[-_.@/:])/)
        const query = words.slice(from % words.length).join('')
        const [segment] = build(given)
        const indexed = given.filter((one) => termsToFind(one.text).length > 0)
        const found = segment ? find(segment, query) : []
        expect(found.map((number) => indexed[number]?.text)).toContain(content)
      }),
    )
  })

  it('merged from others finds what they found', () => {
    fc.assert(
      fc.property(documents, documents, text, (one, other, query) => {
        const [first, second, whole] = [build(one)[0], build(other)[0], build([...one, ...other])[0]]
        if (!first || !second || !whole) return
        const merged = mergeSegments([first, second])
        expect(find(merged, query)).toEqual(find(whole, query))
        expect(readDocuments(merged.documents)).toEqual(readDocuments(whole.documents))
        expect([merged.oldestMs, merged.newestMs]).toEqual([whole.oldestMs, whole.newestMs])
      }),
      { numRuns: 300 },
    )
  })

  it('lets few words pass its filter that it does not hold', () => {
    const content = Array.from({ length: 5_000 }, (_, number) => `word${number}`).join(' ')
    const segment = build([
      { document: { ...(fc.sample(document, 1)[0] as SearchDocument) }, text: content },
    ])[0] as Segment
    const absent = hashTerms(
      key,
      Array.from({ length: 10_000 }, (_, number) => `other${number}`),
    )
    const passed = absent.filter((hash) => {
      const at = blockOf(hash, segment.filterBlocks) * blockBytes
      return mayContain(segment.filter.subarray(at, at + 32), hash)
    })
    expect(passed.length).toBeLessThan(200)
  })

  it('holds nothing that tells a word to somebody without the key', () => {
    const segment = build([
      { document: fc.sample(document, 1)[0] as SearchDocument, text: 'confidential' },
    ])[0] as Segment
    const bytes = Buffer.concat([segment.filter, segment.documents, segment.postings])
    expect(bytes.includes('confidential')).toBe(false)
    expect(findIn(segment, hashTerms(randomBytes(32), ['confidential']))).toEqual([])
  })
})

describe('the words of a text', () => {
  const termsOf = (content: string) => {
    const terms = new Set<string>()
    addTerms(terms, content, 10_000)
    return [...terms].sort()
  }

  it('are found without regard to case and composition', () => {
    expect(termsOf('ÅNGSTRÖM')).toEqual(termsOf('A\u030angstro\u0308m'))
  })

  it('of a compound are its parts and whatever stands side by side', () => {
    expect(termsOf('a@example.com')).toEqual(
      ['a', 'a@example', 'a@example.com', 'com', 'example', 'example.com'].sort(),
    )
  })

  it('end where a joiner has nothing to join', () => {
    expect(termsOf('order-4711. -x- a--b')).toEqual(['4711', 'a', 'b', 'order', 'order-4711', 'x'])
  })

  it('in JSON are what the strings say, not how they are escaped', () => {
    expect(termsOf(textOfJson(JSON.stringify({ a: 'tab\tnew\nline "q" c:\\users\\new', é: '\u0001x' })))).toEqual(
      ['a', 'c', 'line', 'new', 'q', 'tab', 'users', 'x', 'é'].sort(),
    )
    expect(termsOf(textOfJson('"\\u00e9t\\u00E9 a\\/b"'))).toEqual(['a', 'a/b', 'b', 'été'])
  })

  it('are no more than may be taken, also when all of them are one compound', () => {
    const terms = new Set<string>()
    addTerms(terms, Array.from({ length: 5_000 }, (_, number) => `p${number}`).join('.'), 1_000)
    expect(terms.size).toBe(1_000)
  })

  it('of a compound with very many parts can be found by any of its sequences', () => {
    const parts = Array.from({ length: 40 }, (_, number) => `p${number}`)
    const terms = new Set(termsOf(parts.join('-')))
    expect(termsToFind(parts.slice(3, 30).join('-')).every((term) => terms.has(term))).toBe(true)
    expect(
      termsToFind([...parts.slice(3, 9), 'p1', ...parts.slice(10, 20)].join('-')).every((term) => terms.has(term)),
    ).toBe(false)
  })
})
