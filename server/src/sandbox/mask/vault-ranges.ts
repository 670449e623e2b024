// Results are data, so what a script took from the vault and returned stays in them. Search must not make it findable, though, and the index is made
// later, when nobody knows any more what the script took: so the places of those values are kept beside the result. They say nothing about
// the values, which stand in the result and nowhere else.
import type { Json } from '../../lib/json.ts'
import { findInJson, maskJson } from './mask-json.ts'

/** More than these, and nothing of the result is searched. */
const PLACES_MAX = 5000

/** As a text to be stored with the result; undefined where there is nothing to hide. */
export function markTaken(json: string, taken: readonly string[]): string | undefined {
  const places = taken.length === 0 ? [] : findInJson(json, taken)
  if (places.length === 0) return undefined
  if (places.length > PLACES_MAX) return JSON.stringify([[0, json.length]])
  return JSON.stringify(places.map(({ start, end }) => [start, end]))
}

type Range = [start: number, end: number]

/** Of the JSON array of these results. */
export function joinRanges(results: readonly { json: string; ranges: string | null }[]): string | undefined {
  const joined: Range[] = []
  let from = 1
  let isTooMuch = false
  for (const { json, ranges } of results) {
    for (const [start, end] of rangesIn(ranges)) {
      isTooMuch ||= isWhole(json, [start, end])
      joined.push([from + start, from + end])
    }
    from += json.length + 1
  }
  if (joined.length === 0) return undefined
  return JSON.stringify(isTooMuch || joined.length > PLACES_MAX ? [[0, Math.max(from, 2)]] : joined)
}

/** Of each of the results that make up the array. */
export function splitRanges(ranges: string | undefined, results: readonly string[]): (string | undefined)[] {
  const all = rangesIn(ranges)
  const arrayLength = results.reduce((sum, { length }) => sum + length + 1, 1)
  const isAll = all.some(([start, end]) => start === 0 && end === arrayLength)
  let from = 1
  return results.map((json) => {
    const first = from
    from += json.length + 1
    if (isAll) return JSON.stringify([[0, json.length]])
    const own = all.filter(([start, end]) => start >= first && end <= first + json.length)
    return own.length === 0 ? undefined : JSON.stringify(own.map(([start, end]) => [start - first, end - first]))
  })
}

function rangesIn(ranges: string | null | undefined): Range[] {
  return ranges === null || ranges === undefined ? [] : JSON.parse(ranges)
}

/** There were too many places to tell. A lone number or word may be one place from its first character to its last. */
function isWhole(json: string, [start, end]: Range): boolean {
  return start === 0 && end === json.length && /^[[{]/.test(json)
}

/** The values themselves, read from the result that `ranges` was made for. */
export function readTaken(json: string, ranges: string): string[] {
  return rangesIn(ranges).map(([start, end]) => {
    const text = json.slice(start, end)
    try {
      return String(JSON.parse(`"${text}"`) as Json)
    } catch {
      return text
    }
  })
}

/** For search: without any of the values, whichever block of the run returned them. */
export function hideTaken(json: string, taken: readonly string[]): string {
  // All of it, where there were too many to tell.
  return taken.includes(json) ? 'null' : maskJson(json, taken)
}
