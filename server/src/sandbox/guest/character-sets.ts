/**
 * fx.decodeText and fx.encodeText. The realm of a script has no decoder of its own, so they are answered by the process around it, in the
 * script's own time. Encoding goes by what the decoder says: each character has the bytes that decode to it.
 */

import { TextDecoder } from 'node:util'

type Encoder = (text: string) => Uint8Array

const encoders = new Map<string, Encoder>()

const names = { 'text.decode': 'fx.decodeText', 'text.encode': 'fx.encodeText' } as const

/** The answer to a call of the realm: its first character is 1 for success, 0 for an error. Undefined for calls of other kinds. */
export function answerTextCall(call: string): string | undefined {
  if (!call.startsWith('"name":"text.')) return undefined
  const { name, args } = JSON.parse(`{${call}}`) as { name: keyof typeof names; args: unknown[] }
  const [value, charset] = args
  try {
    if (typeof value !== 'string') throw new TypeError(`${names[name]}: the first argument must be a string.`)
    if (typeof charset !== 'string')
      throw new TypeError(`${names[name]}: the second argument must be the name of a character set.`)
    const result = name === 'text.decode' ? decode(value, charset) : encode(value, charset)
    return `1${JSON.stringify(result)}`
  } catch (error) {
    return `0${JSON.stringify({ message: (error as Error).message, details: {} })}`
  }
}

function decode(base64: string, charset: string): string {
  return decoderOf(charset).decode(Buffer.from(base64, 'base64'))
}

function encode(text: string, charset: string): string {
  const { encoding } = decoderOf(charset)
  const encoder = encoders.get(encoding) ?? makeEncoder(encoding)
  encoders.set(encoding, encoder)
  return Buffer.from(encoder(text)).toString('base64')
}

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset)
  } catch {
    throw new RangeError(`The character set ${JSON.stringify(charset.slice(0, 80))} is unknown.`)
  }
}

function makeEncoder(encoding: string): Encoder {
  switch (encoding) {
    case 'utf-8':
      return (text) => Buffer.from(text, 'utf8')
    case 'utf-16le':
      return (text) => Buffer.from(text, 'utf16le')
    case 'utf-16be':
      return (text) => Buffer.from(text, 'utf16le').swap16()
    case 'iso-2022-jp':
      return encodeIso2022Jp
    default:
      return tableEncoder(encoding, tableOf(encoding))
  }
}

/** By character: the bytes that decode to it, the shortest ones first found. */
type Table = Map<string, readonly number[]>

function tableOf(encoding: string): Table {
  const table: Table = new Map()
  const decoder = new TextDecoder(encoding)
  const add = (...bytes: number[]) => {
    const text = decoder.decode(Uint8Array.from(bytes))
    const isOne = text.length === 1 || (text.length === 2 && text.codePointAt(0)! > 0xffff)
    if (isOne && text !== '\ufffd' && !table.has(text)) table.set(text, bytes)
  }
  for (let byte = 0; byte < 256; byte++) add(byte)
  if (table.size >= 200 || !isMultiByte.has(encoding)) return table
  for (let lead = 0x81; lead < 0xff; lead++) for (let trail = 0x40; trail < 0xff; trail++) add(lead, trail)
  if (encoding === 'euc-jp')
    for (let lead = 0xa1; lead < 0xff; lead++) for (let trail = 0xa1; trail < 0xff; trail++) add(0x8f, lead, trail)
  if (encoding === 'gb18030' || encoding === 'gbk') for (let at = 0; at < 39_420; at++) add(...fourBytes(at))
  return table
}

const isMultiByte = new Set(['gbk', 'gb18030', 'big5', 'euc-jp', 'shift_jis', 'euc-kr'])

/** The four-byte codes of GB 18030, counted from the first. */
function fourBytes(at: number): number[] {
  const third = Math.floor(at / 10)
  const second = Math.floor(third / 126)
  return [0x81 + Math.floor(second / 10), 0x30 + (second % 10), 0x81 + (third % 126), 0x30 + (at % 10)]
}

/** Where the characters beyond the basic plane begin among the four-byte codes. */
const gbSupplementary = 189_000

function tableEncoder(encoding: string, table: Table): Encoder {
  return (text) => {
    const bytes: number[] = []
    for (const character of text) {
      const code = character.codePointAt(0)!
      const known = table.get(character)
      if (known) bytes.push(...known)
      else if (encoding === 'gb18030' && code > 0xffff) bytes.push(...fourBytes(gbSupplementary + code - 0x10000))
      else throw missing(character, encoding)
    }
    return Uint8Array.from(bytes)
  }
}

/** ASCII, and the two-byte characters of EUC-JP without their high bits, between escape sequences. */
function encodeIso2022Jp(text: string): Uint8Array {
  const table = tableOf('euc-jp')
  const bytes: number[] = []
  let isDouble = false
  for (const character of text) {
    const known = table.get(character)
    const isAscii = known?.length === 1 && known[0]! < 0x80
    if (!isAscii && (known?.length !== 2 || known[0] === 0x8e)) throw missing(character, 'iso-2022-jp')
    if (isAscii === isDouble) bytes.push(0x1b, ...(isAscii ? [0x28, 0x42] : [0x24, 0x42]))
    isDouble = !isAscii
    bytes.push(...known!.map((byte) => byte & 0x7f))
  }
  if (isDouble) bytes.push(0x1b, 0x28, 0x42)
  return Uint8Array.from(bytes)
}

function missing(character: string, encoding: string): RangeError {
  return new RangeError(`The character ${JSON.stringify(character)} does not exist in ${encoding}.`)
}
