// Files of shares that somebody changed on the disk: nothing that was not sent comes back, and the failure is seen.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blocks } from '../harness/large-upload.ts'
import { startService, type TestService } from '../harness/service.ts'
import { download, postShare, sendUpload, uploadForm } from '../harness/upload.ts'

describe('a file that was changed on the disk', () => {
  const header = 40
  const chunk = 65_536 + 16
  const size = 4 * 65_536 + 1000
  const content = Buffer.concat([...blocks(size)])
  let service: TestService
  let shareId: string
  let path: string
  let sealed: Buffer
  let other: Buffer
  beforeAll(async () => {
    service = await startService()
    const sharesDir = join(service.dataDir, 'shares')
    const upload = async () => {
      const { body } = await sendUpload(service.manager, uploadForm([{ name: 'f.bin', content }], { code: 'c' }))
      const directory = join(sharesDir, body)
      return { id: body as string, file: join(directory, readdirSync(directory)[0] as string) }
    }
    const made = await upload()
    shareId = made.id
    path = made.file
    sealed = readFileSync(path)
    other = readFileSync((await upload()).file)
    expect(sealed.length).toBe(header + size + 5 * 16)
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const at = (n: number) => header + n * chunk
  const part = (n: number) => sealed.subarray(at(n), at(n + 1))
  const flipped = (position: number) => {
    const copy = Buffer.from(sealed)
    copy[position] = (copy[position] as number) ^ 1
    return copy
  }
  const joined = (...numbers: number[]) => Buffer.concat([sealed.subarray(0, header), ...numbers.map(part)])

  it('is as it was when nothing was changed', async () => {
    expect((await download(service, shareId, 'c')).bytes.equals(content)).toBe(true)
  })

  const cases: [string, () => Buffer][] = [
    ['emptied', () => Buffer.alloc(0)],
    ['only the header', () => sealed.subarray(0, header)],
    ['the version changed', () => flipped(0)],
    ['the salt changed', () => flipped(5)],
    ['the nonce changed', () => flipped(36)],
    ...[0, 1, 2, 3, 4].flatMap((n): [string, () => Buffer][] => [
      [`a bit of chunk ${n} flipped`, () => flipped(at(n) + 100)],
      [`a bit of the tag of chunk ${n} flipped`, () => flipped(Math.min(at(n + 1), sealed.length) - 1)],
      [`cut before chunk ${n}`, () => sealed.subarray(0, at(n))],
      [`cut within chunk ${n}`, () => sealed.subarray(0, at(n) + 500)],
    ]),
    ['one byte short', () => sealed.subarray(0, -1)],
    ['one byte more', () => Buffer.concat([sealed, Buffer.from([0])])],
    ['chunks swapped', () => joined(0, 2, 1, 3, 4)],
    ['a chunk repeated', () => joined(0, 1, 1, 2, 3, 4)],
    ['a chunk missing', () => joined(0, 2, 3, 4)],
    ['the last chunk twice', () => joined(0, 1, 2, 3, 4, 4)],
    ['the file of another share', () => other],
    [
      'a chunk of another share',
      () => Buffer.concat([sealed.subarray(0, at(1)), other.subarray(at(1), at(2)), sealed.subarray(at(2))]),
    ],
  ]
  it.each(cases)('%s: the download fails visibly and gives nothing that was not sent', async (_name, change) => {
    writeFileSync(path, change())
    const received: Buffer[] = []
    let outcome = 'ended'
    try {
      const list = await postShare(service.baseUrl, shareId, { code: 'c' })
      const file = /name="file" value="([^"]+)"/.exec(list.bytes.toString())?.[1] ?? ''
      const response = await fetch(`${service.baseUrl}/secure-share/secure-download?shareid=${shareId}`, {
        method: 'POST',
        body: new URLSearchParams({ code: 'c', file }),
      })
      if (response.status === 200)
        for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>)
          received.push(Buffer.from(bytes))
      else outcome = `status ${response.status}`
    } catch {
      outcome = 'cut'
    }
    expect(['cut', 'status 500']).toContain(outcome)
    // The log tells it once a minute, and sums up the others.
    expect(service.logText()).toContain('DamagedStreamError')
    const got = Buffer.concat(received)
    expect(got.equals(content.subarray(0, got.length))).toBe(true)
  })

  it('removed: says so', async () => {
    rmSync(path)
    const answer = await download(service, shareId, 'c')
    expect([answer.status, answer.bytes.toString()]).toEqual([500, expect.stringContaining('cannot be read')])
  })
})
