// The reader of forms by itself: whatever comes, in whatever pieces, is either exactly what was sent or a refusal.
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contentDisposition } from '../../src/http/answer/send-file.ts'
import { readBoundary } from '../../src/http/form/form-header.ts'
import { type FormPart, readMultipart } from '../../src/http/form/multipart.ts'
import { AppError } from '../../src/lib/app-error.ts'
import { formType, malformedForms, wellFormed } from '../harness/malformed-forms.ts'

async function* pieces(bytes: Buffer, sizes: number[]): AsyncGenerator<Buffer> {
  for (let at = 0, n = 0; at < bytes.length; n++) {
    const size = sizes[n % sizes.length] ?? bytes.length
    yield bytes.subarray(at, at + size)
    at += size
  }
}

type ReadPart = { name: string; fileName?: string; bytes: string }

async function read(bytes: Buffer, boundary: string, sizes: number[], bytesTaken = Number.POSITIVE_INFINITY) {
  const parts: ReadPart[] = []
  for await (const part of readMultipart(pieces(bytes, sizes), boundary)) parts.push(await collect(part, bytesTaken))
  return parts
}

async function collect(part: FormPart, bytesTaken: number): Promise<ReadPart> {
  if (part.kind === 'field') return { name: part.name, bytes: Buffer.from(part.value).toString('hex') }
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of part.bytes) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= bytesTaken) break
  }
  return { name: part.name, fileName: part.fileName, bytes: Buffer.concat(chunks).toString('hex') }
}

/** Contents that are hard to tell from delimiters. */
const nasty = (boundary: string) =>
  fc.array(
    fc.constantFrom(
      '\r',
      '\n',
      '\r\n',
      '--',
      '-',
      boundary,
      boundary.slice(0, -1),
      `\r\n--${boundary.slice(0, -1)}`,
      'x',
      '\0',
    ),
    { maxLength: 30 },
  )
const forbidden = (text: string, boundary: string) => `\r\n${text}`.includes(`\r\n--${boundary}`)

describe('a form', () => {
  it('is read the same in whatever pieces it arrives, also when its contents look like delimiters', async () => {
    const boundary = 'bXb'
    const content = nasty(boundary)
      .map((texts) => texts.join(''))
      .filter((text) => !forbidden(text, boundary))
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ isFile: fc.boolean(), content }), { maxLength: 5 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 10 }),
        fc.constantFrom('', 'preamble\r\n'),
        fc.constantFrom('', '\r\n', '\r\nepilogue --bXb'),
        async (parts, sizes, before, after) => {
          const text = parts
            .map(
              ({ isFile, content }, n) =>
                `--bXb\r\nContent-Disposition: form-data; name="n${n}"${isFile ? `; filename="f${n}"` : ''}\r\n\r\n${content}\r\n`,
            )
            .join('')
          const expected = parts.map(({ isFile, content }, n) => ({
            name: `n${n}`,
            ...(isFile ? { fileName: `f${n}` } : {}),
            bytes: Buffer.from(content).toString('hex'),
          }))
          expect(await read(Buffer.from(`${before}${text}--bXb--${after}`), boundary, sizes)).toEqual(expected)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('is read as other implementations write it', async () => {
    const form = new FormData()
    form.append('text', 'Ærlig\r\ntalt 日本 "x"')
    const binary = randomBytes(300_000)
    form.append('files', new File([binary], 'Årsregnskap "2025".pdf'))
    form.append('files', new File([], 'empty'))
    const response = new Response(form)
    const boundary = readBoundary(response.headers.get('content-type') ?? '')
    const parts = await read(Buffer.from(await response.arrayBuffer()), boundary, [65_536])
    expect(parts.map(({ name, fileName }) => [name, fileName])).toEqual([
      ['text', undefined],
      ['files', 'Årsregnskap "2025".pdf'],
      ['files', 'empty'],
    ])
    expect(Buffer.from(parts[0]?.bytes ?? '', 'hex').toString()).toBe('Ærlig\r\ntalt 日本 "x"')
    expect(parts[1]?.bytes).toBe(binary.toString('hex'))
  })

  it('goes on with the next part when a file is left in the middle', async () => {
    const body = Buffer.from(wellFormed.replace('hello', 'hello'.repeat(1000)))
    const twice = Buffer.concat([body.subarray(0, -9), body])
    const parts = await read(twice, 'XbX', [100], 1)
    expect(parts.map(({ name }) => name)).toEqual(['notificationEmail', 'files', 'notificationEmail', 'files'])
  })

  it.each([
    ['form-data; name=a; filename=b.txt', 'a', 'b.txt'],
    ['FORM-DATA; NAME="a"; FILENAME="b c.txt"', 'a', 'b c.txt'],
    ['form-data; name="a"; filename="C:\\dir\\b.txt"', 'a', 'C:\\dir\\b.txt'],
    ['form-data; name="a"; filename="say \\"hi\\".txt"', 'a', 'say "hi".txt'],
    ['form-data; name="a"; filename="x"; filename*=UTF-8\'\'%C3%A5.txt', 'a', 'å.txt'],
    ['form-data; name="a"; filename="x"; filename*=UTF-8\'\'%zz', 'a', 'x'],
    ['form-data; name="a;b=c"; filename=""', 'a;b=c', ''],
  ])('says who it is: %s', async (text, name, fileName) => {
    const body = Buffer.from(`--b\r\ncontent-disposition: ${text}\r\n\r\n\r\n--b--`)
    expect(await read(body, 'b', [7])).toEqual([{ name, fileName, bytes: '' }])
  })

  it.each(malformedForms.filter(([, , type]) => type === undefined))(
    'that is none is refused or has nothing in it: %s',
    async (_name, body) => {
      for (const size of [1, 3, 64, 70_000]) {
        if (size < 64 && body.length > 20_000) continue
        const outcome = await read(Buffer.from(body), 'XbX', [size]).catch((error: unknown) => error)
        // What is a form by its grammar is refused later, by what is in it.
        if (Array.isArray(outcome))
          expect(outcome.some(({ name }) => name === 'files' && body.includes('Type: text/plain'))).toBe(false)
        else expect(outcome).toBeInstanceOf(AppError)
      }
    },
  )

  it('of random bytes is refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 500 }), async (bytes) => {
        await expect(read(Buffer.from(bytes), 'XbX', [17])).rejects.toBeInstanceOf(AppError)
      }),
    )
  })

  it('is recognised by its type', () => {
    expect(readBoundary(formType)).toBe('XbX')
    expect(readBoundary('Multipart/Form-Data; charset=utf-8; Boundary="a b"')).toBe('a b')
    for (const [, , type] of malformedForms) if (type) expect(() => readBoundary(type)).toThrow(AppError)
    for (const type of [undefined, '', 'text/plain', 'multipart/mixed; boundary=b'])
      expect(() => readBoundary(type)).toThrow(AppError)
  })
})

describe('the name of a file that is sent', () => {
  it('is one header line in ASCII, whatever the name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (name) => {
        expect(contentDisposition(name)).toMatch(
          /^attachment; filename="[^"\\%\r\n]*"; filename\*=UTF-8''[\w!#$&+.^`|~%-]*$/,
        )
      }),
    )
  })
})
