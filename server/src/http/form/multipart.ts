// multipart/form-data (RFC 7578), read as it arrives. It is pulled by its consumer: nothing is read ahead of what was asked for, nothing is held
// beyond one chunk, and whatever is wrong ends in one place, a thrown refusal. Stricter than most readers: a part that is not understood is a
// refusal, never skipped, because a skipped part would be a lost file.
//
//   preamble  (delimiter  headers  bytes)+  delimiter "--"  epilogue
import { invalid } from '../../lib/app-error.ts'
import { readDisposition } from './form-header.ts'

export type FormPart =
  | { kind: 'field'; name: string; value: string }
  /** `bytes` must be read before the next part is asked for; what is left of them then is read over. */
  | { kind: 'file'; name: string; fileName: string; contentType: string; bytes: AsyncIterable<Buffer> }

export type MultipartBody = AsyncIterable<FormPart>

const lineBreak = Buffer.from('\r\n')
const headersEnd = Buffer.from('\r\n\r\n')
const headerBytesMax = 16 * 1024
const fieldBytesMax = 256 * 1024
const partsMax = 2000
/** What may stand before the first and after the last delimiter; nobody should look at it. */
const surroundingBytesMax = 64 * 1024

export async function* readMultipart(source: AsyncIterator<Buffer>, boundary: string): AsyncGenerator<FormPart> {
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  // The first delimiter needs no line break before it, so the body is read as if it had one.
  const input = new Input(source, lineBreak)
  await discard(input.until(delimiter), 'before its first part')
  for (let count = 0; ; count++) {
    const tail = (await input.line()).trim()
    if (tail === '--') break
    if (tail !== '') throw malformed('a delimiter is followed by other text')
    if (count === partsMax) throw invalid(`The form has more than ${partsMax} parts.`)
    const headers = await input.headers()
    const { name, fileName, contentType } = readDisposition(headers)
    let isOpen = true
    const bytes = input.until(delimiter, () => {
      isOpen = false
    })
    if (fileName === undefined) {
      yield { kind: 'field', name, value: await readText(name, bytes) }
    } else {
      yield { kind: 'file', name, fileName, contentType, bytes }
      // The consumer may have stopped in the middle of the file.
      if (isOpen) for await (const _ of input.until(delimiter));
    }
  }
  await discard(input.rest(), 'after its last part')
}

export function malformed(what: string): Error {
  return invalid(`Malformed or incomplete multipart body: ${what}.`)
}

async function readText(name: string, bytes: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of bytes) {
    length += chunk.length
    if (length > fieldBytesMax) throw invalid(`The field ${name} has more than ${fieldBytesMax} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

async function discard(bytes: AsyncIterable<Buffer>, where: string): Promise<void> {
  let length = 0
  for await (const chunk of bytes) {
    length += chunk.length
    if (length > surroundingBytesMax) throw malformed(`there is too much text ${where}`)
  }
}

/** The bytes that have arrived and were not taken yet. */
class Input {
  readonly #source: AsyncIterator<Buffer>
  #held: Buffer

  constructor(source: AsyncIterator<Buffer>, held: Buffer) {
    this.#source = source
    this.#held = held
  }

  /** Yields everything up to the delimiter and takes the delimiter itself. */
  async *until(delimiter: Buffer, onEnd?: () => void): AsyncGenerator<Buffer> {
    for (;;) {
      const at = this.#held.indexOf(delimiter)
      const isFound = at >= 0
      const end = isFound ? at : this.#held.length - delimiterBeginsAtEnd(this.#held, delimiter)
      const bytes = this.#held.subarray(0, end)
      // The state is right before the consumer gets the bytes: it may never come back for more.
      this.#held = this.#held.subarray(isFound ? end + delimiter.length : end)
      if (isFound) onEnd?.()
      if (bytes.length > 0) yield bytes
      if (isFound) return
      if (!(await this.#pull())) throw malformed('a part has no end')
    }
  }

  /** The rest of a line, without its break; at the very end of a body the break may be missing. */
  async line(): Promise<string> {
    for (;;) {
      const at = this.#held.indexOf(lineBreak)
      if (at >= 0) return this.#take(at, lineBreak.length)
      if (this.#held.length > headerBytesMax) throw malformed('a delimiter has no end')
      if (await this.#pull()) continue
      if (this.#held.toString('latin1').trim() === '--') return this.#take(this.#held.length, 0)
      throw malformed('it ends within a delimiter')
    }
  }

  async headers(): Promise<string> {
    for (;;) {
      const at = this.#held.indexOf(headersEnd)
      if (at > headerBytesMax || (at < 0 && this.#held.length > headerBytesMax))
        throw malformed('the headers of a part are too long')
      if (at >= 0) return this.#take(at, headersEnd.length)
      if (!(await this.#pull())) throw malformed('it ends within the headers of a part')
    }
  }

  async *rest(): AsyncGenerator<Buffer> {
    do {
      yield this.#held
      this.#held = this.#held.subarray(this.#held.length)
    } while (await this.#pull())
  }

  #take(length: number, over: number): string {
    const text = this.#held.subarray(0, length).toString()
    this.#held = this.#held.subarray(length + over)
    return text
  }

  async #pull(): Promise<boolean> {
    const { done, value } = await this.#source.next()
    if (done) return false
    // Nearly always nothing is held, and nothing is copied.
    this.#held = this.#held.length === 0 ? value : Buffer.concat([this.#held, value])
    return true
  }
}

/** How many bytes at the end of `bytes` may be the beginning of a delimiter of which the rest has not arrived. */
function delimiterBeginsAtEnd(bytes: Buffer, delimiter: Buffer): number {
  const first = delimiter[0] as number
  for (let at = Math.max(0, bytes.length - delimiter.length + 1); ; at++) {
    at = bytes.indexOf(first, at)
    if (at < 0) return 0
    if (bytes.compare(delimiter, 0, bytes.length - at, at) === 0) return bytes.length - at
  }
}
