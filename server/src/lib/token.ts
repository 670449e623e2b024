// Random tokens with a recognisable prefix and a checksum, so that scanners find leaked ones and typing errors are told apart from revoked keys.
import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** `<prefix>_<43 characters: 256 bits, base64url><6 characters: CRC-32>` */
export function newToken(prefix: string): string {
  const body = `${prefix}_${randomBytes(32).toString('base64url')}`
  return body + checksum(body)
}

export function isWellFormedToken(prefix: string, token: string): boolean {
  if (token.length !== prefix.length + 1 + 43 + 6 || !token.startsWith(`${prefix}_`)) return false
  return checksum(token.slice(0, -6)) === token.slice(-6)
}

function checksum(body: string): string {
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body) >>> 0)
  return sum.toString('base64url').slice(0, 6)
}
