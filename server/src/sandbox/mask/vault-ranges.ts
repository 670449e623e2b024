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

/** The values themselves, read from the result that `ranges` was made for. */
export function readTaken(json: string, ranges: string): string[] {
  return (JSON.parse(ranges) as [number, number][]).map(([start, end]) => {
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
