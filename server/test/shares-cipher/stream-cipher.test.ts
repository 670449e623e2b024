import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as cipher from '../../src/secrets/index.ts'
import { bindingOf, type FilePlace } from '../../src/shares/share-file.ts'

const { DamagedStreamError } = cipher
const encryptStream = (source: AsyncIterable<Uint8Array>, key: Uint8Array, at: FilePlace) =>
  cipher.encryptStream(source, key, bindingOf(at))
const decryptStream = (source: AsyncIterable<Uint8Array>, key: Uint8Array, at: FilePlace) =>
  cipher.decryptStream(source, key, bindingOf(at))

const dataKey = randomBytes(32)
const place: FilePlace = { shareId: 'share', fileId: 'file', index: 0 }
const headerBytes = 40
const chunkBytes = 65_536
const sealedBytes = chunkBytes + 16

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function collect(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(Buffer.from(part))
  return Buffer.concat(parts)
}

const seal = (plain: Uint8Array, at = place, size = 50_000) => collect(encryptStream(pieces(plain, size), dataKey, at))
const open = (sealed: Uint8Array, at = place, size = 50_000, key: Uint8Array = dataKey) =>
  collect(decryptStream(pieces(sealed, size), key, at))

/** What comes out before the damage is noticed; fails when no damage is noticed at all. */
async function openDamaged(sealed: Uint8Array, at = place, key: Uint8Array = dataKey): Promise<Buffer> {
  const parts: Buffer[] = []
  try {
    for await (const part of decryptStream(pieces(sealed, 50_000), key, at)) parts.push(part)
  } catch (error) {
    expect(error).toBeInstanceOf(DamagedStreamError)
    return Buffer.concat(parts)
  }
  throw new Error('The damage was not noticed.')
}

const split = (sealed: Buffer) => {
  const chunks: Buffer[] = []
  for (let at = headerBytes; at < sealed.length; at += sealedBytes) chunks.push(sealed.subarray(at, at + sealedBytes))
  return { header: sealed.subarray(0, headerBytes), chunks }
}
const join = ({ header, chunks }: { header: Buffer; chunks: Buffer[] }) => Buffer.concat([header, ...chunks])

const interestingSizes = [0, 1, 15, 16, chunkBytes - 1, chunkBytes, chunkBytes + 1, 2 * chunkBytes, 3 * chunkBytes + 5]

describe('a file', () => {
  test.each(interestingSizes)('of %i bytes comes back whole, with the expected size on disk', async (size) => {
    const plain = randomBytes(size)
    const sealed = await seal(plain)
    const chunks = Math.max(1, Math.ceil(size / chunkBytes))
    expect(sealed.length).toBe(headerBytes + size + 16 * chunks)
    expect((await open(sealed)).equals(plain)).toBe(true)
  })

  test('comes back whole whatever the rhythm in which its bytes arrive', async () => {
    const size = fc.integer({ min: 0, max: 3 * chunkBytes })
    const rhythm = fc.integer({ min: 1_000, max: 100_000 })
    await fc.assert(
      fc.asyncProperty(size, rhythm, rhythm, async (bytes, writing, reading) => {
        const plain = randomBytes(bytes)
        expect((await open(await seal(plain, place, writing), place, reading)).equals(plain)).toBe(true)
      }),
      { numRuns: 40 },
    )
    const plain = randomBytes(300)
    expect((await open(await seal(plain, place, 1), place, 1)).equals(plain)).toBe(true)
  })

  test('opens by the written description of the layout alone', async () => {
    const plain = randomBytes(chunkBytes + 100)
    const { header, chunks } = split(await seal(plain))
    expect(header[0]).toBe(1)
    const info = JSON.stringify(['patchbay share file', 1, 'share', 'file', 0])
    const key = Buffer.from(hkdfSync('sha256', dataKey, header.subarray(1, 33), info, 32))
    const opened = chunks.map((chunk, number) => {
      const nonce = Buffer.concat([header.subarray(33), Buffer.from([0, 0, 0, number, number === 1 ? 1 : 0])])
      const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(header).setAuthTag(chunk.subarray(-16))
      return Buffer.concat([decipher.update(chunk.subarray(0, -16)), decipher.final()])
    })
    expect(Buffer.concat(opened).equals(plain)).toBe(true)
  })

  test('never looks the same twice and never shows its content', async () => {
    const plain = Buffer.alloc(chunkBytes * 2, 'canary ')
    const [one, other] = [await seal(plain), await seal(plain)]
    expect(one.equals(other)).toBe(false)
    expect(one.includes('canary')).toBe(false)
    const { chunks } = split(one)
    expect(chunks[0]!.equals(chunks[1]!)).toBe(false)
  })
})

describe('damage is always noticed', () => {
  test('any flipped bit, with only genuine chunks given out before', async () => {
    const plain = randomBytes(2 * chunkBytes + 777)
    const sealed = await seal(plain)
    await fc.assert(
      fc.asyncProperty(fc.nat(sealed.length - 1), fc.nat(7), async (at, bit) => {
        const damaged = Buffer.from(sealed)
        damaged[at]! ^= 1 << bit
        const given = await openDamaged(damaged)
        const damagedChunk = Math.max(0, Math.floor((at - headerBytes) / sealedBytes))
        expect(given.equals(plain.subarray(0, damagedChunk * chunkBytes))).toBe(true)
      }),
      { numRuns: 150 },
    )
  })

  test('every byte of a small file and of its header', async () => {
    const sealed = await seal(Buffer.from('small'))
    for (let at = 0; at < sealed.length; at++) {
      const damaged = Buffer.from(sealed)
      damaged[at]! ^= 0x80
      expect(await openDamaged(damaged)).toHaveLength(0)
    }
  })

  test('a file cut anywhere', async () => {
    const plain = randomBytes(3 * chunkBytes)
    const sealed = await seal(plain)
    const borders = [0, 1, headerBytes - 1, headerBytes, headerBytes + 1, headerBytes + 16]
    for (let chunk = 1; chunk <= 3; chunk++) {
      const border = headerBytes + chunk * sealedBytes
      borders.push(border - 17, border - 16, border - 1)
      if (chunk < 3) borders.push(border, border + 1, border + 16)
    }
    for (const length of borders) {
      const given = await openDamaged(sealed.subarray(0, length))
      expect(given.equals(plain.subarray(0, given.length))).toBe(true)
      expect(given.length).toBeLessThan(plain.length)
    }
    await fc.assert(
      fc.asyncProperty(fc.nat(sealed.length - 1), async (length) => {
        await openDamaged(sealed.subarray(0, length))
      }),
      { numRuns: 60 },
    )
  })

  test('chunks put in any other order, repeated or left out', async () => {
    const plain = randomBytes(4 * chunkBytes)
    const { header, chunks } = split(await seal(plain))
    const selection = fc.array(fc.nat(chunks.length - 1), { minLength: 0, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(selection, async (indexes) => {
        fc.pre(indexes.join() !== '0,1,2,3')
        const given = await openDamaged(join({ header, chunks: indexes.map((index) => chunks[index]!) }))
        expect(given.equals(plain.subarray(0, given.length))).toBe(true)
      }),
      { numRuns: 80 },
    )
  })

  test('bytes behind the end', async () => {
    for (const size of [0, 100, chunkBytes]) {
      const plain = randomBytes(size)
      const sealed = await seal(plain)
      for (const extra of [1, 16, 17, sealedBytes]) await openDamaged(Buffer.concat([sealed, Buffer.alloc(extra)]))
      await openDamaged(Buffer.concat([sealed, sealed]))
    }
  })

  test('a second form of the same file: a full chunk and an empty last one, sealed with the right key', async () => {
    const header = Buffer.concat([Buffer.from([1]), randomBytes(39)])
    const info = JSON.stringify(['patchbay share file', 1, 'share', 'file', 0])
    const key = Buffer.from(hkdfSync('sha256', dataKey, header.subarray(1, 33), info, 32))
    const chunks = [Buffer.alloc(chunkBytes), Buffer.alloc(0)].map((plain, number) => {
      const nonce = Buffer.concat([header.subarray(33), Buffer.from([0, 0, 0, number, number])])
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(header)
      return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    })
    expect(await openDamaged(join({ header, chunks }))).toHaveLength(chunkBytes)
  })

  test('a chunk of another file under the same data key', async () => {
    const plain = randomBytes(3 * chunkBytes)
    const mine = split(await seal(plain))
    for (const foreign of [
      place,
      { ...place, fileId: 'other' },
      { ...place, shareId: 'other' },
      { ...place, index: 1 },
    ]) {
      const other = split(await seal(plain, foreign))
      for (const at of [0, 1, 2]) {
        await openDamaged(join({ header: mine.header, chunks: mine.chunks.with(at, other.chunks[at]!) }))
      }
      await openDamaged(join({ header: other.header, chunks: mine.chunks }))
    }
  })

  test('a whole file in another place, also where the names run together, or under another key', async () => {
    const sealed = await seal(Buffer.from('content'), { shareId: 'ab', fileId: 'c', index: 1 })
    await openDamaged(sealed, { shareId: 'a', fileId: 'bc', index: 1 })
    await openDamaged(sealed, { shareId: 'ab', fileId: 'c', index: 11 })
    await openDamaged(sealed, { shareId: 'ab","c', fileId: '', index: 1 })
    await openDamaged(sealed, { shareId: 'ab', fileId: 'c', index: 1 }, randomBytes(32))
  })

  test('a data key of the wrong size is refused', async () => {
    await expect(collect(encryptStream(pieces(Buffer.from('x'), 1), Buffer.alloc(16), place))).rejects.toThrow(
      '32 bytes',
    )
  })
})

describe('as a stream', () => {
  test('never holds more than one chunk in each direction, over 128 MiB', async () => {
    const piece = randomBytes(100_000)
    let taken = 0
    async function* source() {
      while (taken < 2 ** 27) {
        taken += piece.length
        yield piece
      }
    }
    let received = 0
    let heldMost = 0
    for await (const part of decryptStream(encryptStream(source(), dataKey, place), dataKey, place)) {
      heldMost = Math.max(heldMost, taken - received)
      received += part.length
    }
    expect(received).toBe(taken)
    expect(heldMost).toBeLessThanOrEqual(3 * chunkBytes + piece.length)
  })

  test('a source that fails fails the result, without a last chunk that would make it look complete', async () => {
    async function* failing() {
      yield Buffer.alloc(100)
      throw new Error('The upload was cut off.')
    }
    const parts: Buffer[] = []
    const reading = (async () => {
      for await (const part of encryptStream(failing(), dataKey, place)) parts.push(part)
    })()
    await expect(reading).rejects.toThrow('cut off')
    expect(Buffer.concat(parts)).toHaveLength(headerBytes)
  })

  test('a damaged file breaks its pipeline instead of ending it', async () => {
    const sealed = await seal(randomBytes(3 * chunkBytes))
    sealed[sealed.length - 1]! ^= 1
    const sink = new Writable({ write: (_chunk, _encoding, done) => done() })
    const flow = pipeline(
      Readable.from(pieces(sealed, 10_000)),
      (bytes: AsyncIterable<Uint8Array>) => decryptStream(bytes, dataKey, place),
      sink,
    )
    await expect(flow).rejects.toBeInstanceOf(DamagedStreamError)
    expect(sink.writableFinished).toBe(false)
  })
})
