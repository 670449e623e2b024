// A term becomes 40 bits that nobody can compute or turn back without the key of the account. Each term is one block of AES: a keyed
// permutation that serves as a pseudorandom function, thousands of terms in one call.
import { createCipheriv, hash } from 'node:crypto'

const blockBytes = 16
/** Longer terms are digested first; the first byte, which is a length otherwise, says so. */
const shortBytesMax = blockBytes - 1
const isDigest = 255

export const hashBits = 40
const hashBytes = hashBits / 8

export function hashTerms(key: Buffer, terms: readonly string[]): number[] {
  const blocks = Buffer.alloc(terms.length * blockBytes)
  terms.forEach((term, index) => {
    const at = index * blockBytes
    const length = Buffer.byteLength(term)
    blocks[at] = length <= shortBytesMax ? length : isDigest
    if (length <= shortBytesMax) blocks.write(term, at + 1)
    else hash('sha256', term, 'buffer').copy(blocks, at + 1, 0, shortBytesMax)
  })
  const sealed = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false).update(blocks)
  return terms.map((_, index) => sealed.readUIntBE(index * blockBytes, hashBytes))
}
