import { createHash, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'

const prefix = 'whsec_'
/** Standard Webhooks asks for secrets of 24 to 64 bytes; shorter text that happens to be base64 is a pass phrase. */
const encodedKeyBytesMin = 24

export function generateSecret(): string {
  return prefix + randomBytes(32).toString('base64')
}

/**
 * The secrets that may prove anything. A blank one, or the bare prefix, is known to everybody, so a setting that was
 * lost or left empty must close the door and not open it.
 */
export function usableSecrets(secrets: readonly (string | null | undefined)[]): string[] {
  return secrets
    .filter((secret) => typeof secret === 'string')
    .filter((secret) => !['', prefix].includes(secret.trim()))
}

/** The HMAC keys a secret stands for in Standard Webhooks: with the prefix, the decoded rest and nothing else. */
export function standardWebhooksKeys(secret: string): Buffer[] {
  if (secret.startsWith(prefix)) return decodeBase64(secret.slice(prefix.length), 1)
  return [Buffer.from(secret), ...decodeBase64(secret, encodedKeyBytesMin)]
}

const rememberedMax = 10_000

export function rememberKeys(keysOf: (secret: string) => Buffer[]): (secret: string) => readonly KeyObject[] {
  const known = new Map<string, readonly KeyObject[]>()
  return (secret) => {
    let keys = known.get(secret)
    if (!keys) {
      if (known.size >= rememberedMax) known.clear()
      keys = keysOf(secret).map((bytes) => createSecretKey(bytes))
      known.set(secret, keys)
    }
    return keys
  }
}

/** Compares in a time that tells neither where the two differ nor how long they are. */
export function sameText(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}

function decodeBase64(text: string, bytesMin: number): Buffer[] {
  const bytes = Buffer.from(text, 'base64')
  // Node skips what is not base64 instead of refusing it; only text that comes back the same was meant as base64.
  const isMeant = bytes.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '')
  return isMeant && bytes.length >= bytesMin ? [bytes] : []
}
