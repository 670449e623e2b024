/**
 * The file: two lines of text, then one stream.
 *
 *   PATCHBAY BACKUP 1
 *   {"createdAt": …, "compression": "zstd", "scrypt": {…}, "check": …}        with a passphrase
 *   {"createdAt": …, "compression": "zstd", "openKey": …}                      without one
 *   sections (sections.ts), compressed, in chunks of AES-256-GCM of which each proves itself and the last says that it is the last
 *
 * The key of the chunks is derived from the passphrase. Without one it lies open in the header: then it hides nothing, but damage and a missing
 * end are noticed all the same. The header is bound to the chunks, so that it cannot be exchanged either.
 */
import { createHash, hkdfSync, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { PassThrough, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { DamagedStreamError, decryptStream, encryptStream } from '../secrets/index.ts'
import { BackupError } from './backup-error.ts'

const firstLine = 'PATCHBAY BACKUP 1\n'
const headerBytesMax = 4096
/** About half a second and 128 MiB for each guess. */
const cost = { N: 131_072, r: 8, p: 1 }
const derive = promisify(scrypt) as (text: string, salt: Buffer, bytes: number, options: object) => Promise<Buffer>

export type Header = {
  createdAt: string
  compression: 'zstd'
  scrypt?: { N: number; r: number; p: number; salt: string }
  /** Tells a wrong passphrase from a damaged file. */
  check?: string
  openKey?: string
}

export async function writeBackupFile(
  target: Writable,
  passphrase: string | undefined,
  content: AsyncIterable<Buffer>,
): Promise<void> {
  const { header, key } = await makeHeader(passphrase)
  const text = `${firstLine}${JSON.stringify(header)}\n`
  target.write(text)
  await pipeline(
    content,
    createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 3 } }),
    (bytes: AsyncIterable<Buffer>) => encryptStream(bytes, key, bindingOf(text)),
    target,
  )
}

/** What was written, piece by piece; fails with a sentence at the first byte that is not genuine. */
export async function openBackupFile(
  path: string,
  passphrase: string | undefined,
): Promise<{ header: Header; content: AsyncIterable<Buffer> }> {
  const { header, text } = await readHeader(path)
  const key = await keyOf(header, passphrase)
  return { header, content: contentOf(path, text, key) }
}

async function* contentOf(path: string, header: string, key: Buffer): AsyncGenerator<Buffer> {
  const out = new PassThrough({ highWaterMark: 512 * 1024 })
  const flow = pipeline(
    createReadStream(path, { start: Buffer.byteLength(header), highWaterMark: 512 * 1024 }),
    (bytes: AsyncIterable<Buffer>) => decryptStream(bytes, key, bindingOf(header)),
    createZstdDecompress(),
    out,
  )
  // The fault reaches the reader through the stream; nobody else waits for this promise before the end.
  flow.catch(() => {})
  try {
    yield* out as AsyncIterable<Buffer>
    await flow
  } catch (error) {
    throw explainDamage(error)
  }
}

function explainDamage(error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  const isDamage = error instanceof DamagedStreamError || /^(Z_|ZSTD_|ERR_ZLIB|ERR_STREAM_PREMATURE)/.test(code)
  return isDamage
    ? new BackupError('The backup is damaged or incomplete. Nothing was changed.', { cause: error })
    : error
}

async function makeHeader(passphrase: string | undefined): Promise<{ header: Header; key: Buffer }> {
  const base = { createdAt: new Date().toISOString(), compression: 'zstd' as const }
  if (passphrase === undefined) {
    const key = randomBytes(32)
    return { header: { ...base, openKey: key.toString('base64') }, key }
  }
  const salt = randomBytes(16)
  const key = await deriveKey(passphrase, salt, cost)
  const header = { ...base, scrypt: { ...cost, salt: salt.toString('base64') }, check: checkOf(key).toString('base64') }
  return { header, key }
}

async function keyOf(header: Header, passphrase: string | undefined): Promise<Buffer> {
  if (header.openKey !== undefined) return Buffer.from(header.openKey, 'base64')
  if (passphrase === undefined)
    throw new BackupError('The backup is encrypted. Set PATCHBAY_BACKUP_PASSPHRASE to its passphrase.')
  const { N = 0, r = 0, p = 0, salt = '' } = header.scrypt ?? {}
  // A file that asks for gigabytes was not written by us.
  if (N > 2 ** 20 || r > 16 || p > 4) throw new BackupError('The backup has a header that this program cannot read.')
  const key = await deriveKey(passphrase, Buffer.from(salt, 'base64'), { N, r, p })
  const check = Buffer.from(header.check ?? '', 'base64')
  if (check.length !== 16 || !timingSafeEqual(check, checkOf(key)))
    throw new BackupError('PATCHBAY_BACKUP_PASSPHRASE is not the passphrase of this backup.')
  return key
}

function deriveKey(passphrase: string, salt: Buffer, numbers: { N: number; r: number; p: number }): Promise<Buffer> {
  const maxmem = 256 * numbers.N * numbers.r
  return derive(passphrase.normalize('NFKC'), salt, 32, { ...numbers, maxmem })
}

function checkOf(key: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), 'patchbay backup check', 16))
}

function bindingOf(header: string): string {
  return `patchbay backup ${createHash('sha256').update(header).digest('hex')}`
}

async function readHeader(path: string): Promise<{ header: Header; text: string }> {
  let start = Buffer.alloc(0)
  try {
    for await (const chunk of createReadStream(path, { end: headerBytesMax }))
      start = Buffer.concat([start, chunk as Buffer])
  } catch (error) {
    throw new BackupError(`The backup ${path} cannot be read: ${(error as Error).message}.`)
  }
  const end = start.indexOf('\n', firstLine.length)
  if (!start.toString('latin1').startsWith(firstLine) || end < 0) {
    throw new BackupError(`${path} is not a Patchbay backup, or was written by a newer version.`)
  }
  const text = start.subarray(0, end + 1).toString()
  try {
    return { header: JSON.parse(text.slice(firstLine.length)) as Header, text }
  } catch {
    throw new BackupError('The backup is damaged or incomplete. Nothing was changed.')
  }
}
