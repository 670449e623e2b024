// Random tokens with a recognisable prefix and a checksum, so that scanners find leaked ones and typing errors are told apart from revoked keys.
import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { withCell } from './cell.ts'

/** `<prefix>_<43 characters: 256 bits, base64url><6 characters: CRC-32>` */
export function newToken(prefix: string): string {
  const body = `${prefix}_${randomBytes(32).toString('base64url')}`
  return body + checksum(body)
}

/** One that comes back in an address or a cookie: it names the cell that made it, `<prefix>_<cell>_…`. */
export function newRoutedToken(prefix: string): string {
  return newToken(withCell(prefix))
}

export function isWellFormedToken(prefix: string, token: string): boolean {
  const head = token.slice(0, -(43 + 6))
  if (head !== `${prefix}_` && !(head.startsWith(`${prefix}_`) && /^[a-z0-9]+_$/.test(head.slice(prefix.length + 1))))
    return false
  return checksum(token.slice(0, -6)) === token.slice(-6)
}

/** What is kept of a token: whoever reads the database cannot use it. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

function checksum(body: string): string {
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body) >>> 0)
  return sum.toString('base64url').slice(0, 6)
}
