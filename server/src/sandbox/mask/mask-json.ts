import { PatternFinder } from '../../lib/pattern-finder.ts'
import { listForms, MASK } from './mask.ts'

const [quote, backslash, minus, zero, nine] = [0x22, 0x5c, 0x2d, 0x30, 0x39]
const numberToken = /[-+.\deE]+/y
const escapes: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** Where a secret lies in JSON, and whether it is a number or a part of a text. */
type Place = { start: number; end: number; isNumber: boolean }

/** Hides secrets in the texts of JSON, names included, and numbers that are one, as `Masker.value` does, but without making values of it. */
export function maskJson(json: string, secrets: readonly string[]): string {
  let masked = ''
  let from = 0
  for (const { start, end, isNumber } of findInJson(json, secrets)) {
    masked += json.slice(from, start) + (isNumber ? `"${MASK}"` : MASK)
    from = end
  }
  return masked + json.slice(from)
}

/** In their order. */
export function findInJson(json: string, secrets: readonly string[]): Place[] {
  const forms = listForms(secrets)
  if (forms.size === 0) return []
  const finder = new PatternFinder([...forms])
  const places: Place[] = []
  for (let at = 0; at < json.length; ) {
    const code = json.charCodeAt(at)
    if (code === quote) {
      const { end, starts, ends } = findInText(finder, json, at + 1)
      for (const [index, start] of starts.entries()) places.push({ start, end: ends[index] as number, isNumber: false })
      at = end
    } else if (code === minus || (code >= zero && code <= nine)) {
      numberToken.lastIndex = at
      const [number = '-'] = numberToken.exec(json) ?? []
      if (forms.has(number)) places.push({ start: at, end: at + number.length, isNumber: true })
      at += number.length
    } else at++
  }
  return places
}

/** Where secrets lie in the text that begins at `from`, in places of the JSON; `end` is behind its quotation mark. */
function findInText(finder: PatternFinder, json: string, from: number) {
  const starts: number[] = []
  const ends: number[] = []
  // A character of the text may be up to six of the JSON.
  const places: number[] = []
  let state = finder.start
  let at = from
  for (; json.charCodeAt(at) !== quote; ) {
    places.push(at)
    const [code, length] = json.charCodeAt(at) === backslash ? readEscape(json, at) : [json.charCodeAt(at), 1]
    at += length
    state = finder.next(state, code)
    const found = finder.foundLength(state)
    if (found === 0) continue
    let start = places[places.length - found] as number
    while (ends.length > 0 && start < (ends.at(-1) as number)) {
      start = Math.min(start, starts.pop() as number)
      ends.pop()
    }
    starts.push(start)
    ends.push(at)
  }
  return { end: at + 1, starts, ends }
}

function readEscape(json: string, at: number): [code: number, length: number] {
  const letter = json[at + 1] as string
  if (letter === 'u') return [Number.parseInt(json.slice(at + 2, at + 6), 16), 6]
  return [(escapes[letter] ?? letter).charCodeAt(0), 2]
}
