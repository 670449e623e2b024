/**
 * Reads JSON without making values of it: in one pass, with no memory but the kinds of the containers that are open. A text of 32 MiB that would
 * become a gigabyte of objects costs a tenth of a second.
 */
export type JsonScan =
  /** `items` are those of an array; undefined when it is none. */
  | { kind: 'json'; values: number; isObject: boolean; items?: number }
  | { kind: 'tooDeep' }
  /** The rest was not looked at. */
  | { kind: 'tooMany' }
  /** Not JSON at all. */
  | { kind: 'other' }

const other = { kind: 'other' } as const

const space = 0x20
const quote = 0x22
const plus = 0x2b
const comma = 0x2c
const minus = 0x2d
const dot = 0x2e
const zero = 0x30
const nine = 0x39
const colon = 0x3a
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const letterE = 0x65
const letterU = 0x75
const openBrace = 0x7b
const closeBrace = 0x7d
const lowerCaseBit = 0x20
const words = new Map(['true', 'false', 'null'].map((word) => [word.charCodeAt(0), Buffer.from(word)]))
const isEscape = new Set(Buffer.from('"\\/bfnrt'))

/** `values` counts names of members too: both cost the same to make. */
export function scanJson(bytes: Uint8Array, depthMax: number, valuesMax = Number.POSITIVE_INFINITY): JsonScan {
  const scan = scanValue(bytes, skipSpace(bytes, 0), depthMax, valuesMax)
  if (scan.kind !== 'value') return scan
  if (skipSpace(bytes, scan.end) !== bytes.length) return other
  const { values, isObject, items } = scan
  return { kind: 'json', values, isObject, ...(items === undefined ? {} : { items }) }
}

/** Where a member of an object stands: `start` and `end` of its value, and how many values that holds. */
export type JsonMember = { name: string; start: number; end: number; values: number }

/** The members of an object that `scanJson` has found to be JSON. */
export function listMembers(bytes: Uint8Array, depthMax: number): JsonMember[] {
  const members: JsonMember[] = []
  let at = skipSpace(bytes, skipSpace(bytes, 0) + 1)
  while (bytes[at] === quote) {
    const nameEnd = skipText(bytes, at)
    const name = JSON.parse(Buffer.from(bytes.subarray(at, nameEnd)).toString()) as string
    const start = skipName(bytes, at)
    const value = scanValue(bytes, start, depthMax, Number.POSITIVE_INFINITY)
    if (value.kind !== 'value') break
    members.push({ name, start, end: value.end, values: value.values })
    at = skipSpace(bytes, value.end)
    if (bytes[at] === comma) at = skipSpace(bytes, at + 1)
  }
  return members
}

type ValueScan =
  | { kind: 'value'; end: number; values: number; isObject: boolean; items: number | undefined }
  | Exclude<JsonScan, { kind: 'json' }>

function scanValue(bytes: Uint8Array, from: number, depthMax: number, valuesMax: number): ValueScan {
  const isBrace = new Uint8Array(depthMax + 1)
  let depth = 0
  let values = 0
  let items = 0
  let at = from
  const isObject = bytes[at] === openBrace
  const isArray = bytes[at] === openBracket
  for (;;) {
    // A value begins here.
    if (++values > valuesMax) return { kind: 'tooMany' }
    if (depth === 1) items++
    const byte = bytes[at]
    if (byte === openBrace || byte === openBracket) {
      if (++depth > depthMax) return { kind: 'tooDeep' }
      isBrace[depth] = byte === openBrace ? 1 : 0
      at = skipSpace(bytes, at + 1)
      if (bytes[at] !== (byte === openBrace ? closeBrace : closeBracket)) {
        if (byte === openBrace) at = skipName(bytes, at)
        if (at < 0) return other
        if (byte === openBrace) values++
        continue
      }
      // An empty one: we are at its end.
      depth--
    } else {
      at = byte === quote ? skipText(bytes, at) : skipScalar(bytes, at)
      if (at < 0) return other
      at--
    }
    // `at` is on the last byte of a value, which may have been the last of its containers too.
    if (depth === 0) return { kind: 'value', end: at + 1, values, isObject, items: isArray ? items : undefined }
    at = skipSpace(bytes, at + 1)
    while (depth > 0 && bytes[at] !== comma) {
      if (bytes[at] !== (isBrace[depth] === 1 ? closeBrace : closeBracket)) return other
      depth--
      if (depth === 0) return { kind: 'value', end: at + 1, values, isObject, items: isArray ? items : undefined }
      at = skipSpace(bytes, at + 1)
    }
    at = skipSpace(bytes, at + 1)
    if (isBrace[depth] === 1) {
      values++
      at = skipName(bytes, at)
      if (at < 0) return other
    }
  }
}

function skipSpace(bytes: Uint8Array, from: number): number {
  // Most JSON has none.
  if ((bytes[from] as number) > space) return from
  let at = from
  for (;;) {
    const byte = bytes[at]
    if (byte !== space && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at
    at++
  }
}

/** Behind the colon, at the value; negative when there is no name. */
function skipName(bytes: Uint8Array, from: number): number {
  if (bytes[from] !== quote) return -1
  const end = skipText(bytes, from)
  if (end < 0) return -1
  const at = skipSpace(bytes, end)
  return bytes[at] === colon ? skipSpace(bytes, at + 1) : -1
}

function skipText(bytes: Uint8Array, from: number): number {
  for (let at = from + 1; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte === quote) return at + 1
    if (byte < 0x20) return -1
    if (byte !== backslash) continue
    const escaped = bytes[++at] as number
    if (isEscape.has(escaped)) continue
    if (escaped !== letterU) return -1
    for (const end = at + 4; at < end; at++) if (!isHex(bytes[at + 1])) return -1
  }
  return -1
}

function isHex(byte: number | undefined): boolean {
  if (byte === undefined) return false
  const lower = byte | lowerCaseBit
  return (byte >= zero && byte <= nine) || (lower >= 0x61 && lower <= 0x66)
}

function skipScalar(bytes: Uint8Array, from: number): number {
  const word = words.get(bytes[from] as number)
  if (word) return word.every((byte, index) => bytes[from + index] === byte) ? from + word.length : -1
  let at = bytes[from] === minus ? from + 1 : from
  const whole = skipDigits(bytes, at)
  if (whole === at || (bytes[at] === zero && whole > at + 1)) return -1
  at = whole
  if (bytes[at] === dot) {
    at = skipDigits(bytes, at + 1)
    if (bytes[at - 1] === dot) return -1
  }
  if (((bytes[at] as number) | lowerCaseBit) === letterE) {
    const sign = bytes[at + 1]
    const digits = sign === plus || sign === minus ? at + 2 : at + 1
    at = skipDigits(bytes, digits)
    if (at === digits) return -1
  }
  return at
}

function skipDigits(bytes: Uint8Array, from: number): number {
  let at = from
  while ((bytes[at] as number) >= zero && (bytes[at] as number) <= nine) at++
  return at
}
