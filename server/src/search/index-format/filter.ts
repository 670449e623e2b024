// A Bloom filter in blocks of 32 bytes: a term sets one bit in each of the eight words of one block, so that asking for it reads one block.
export const blockBytes = 32
const wordsOfBlock = 8
/** Twelve bits a term let one of some 200 segments be opened in vain. */
const bitsPerTerm = 12

// Odd numbers with well mixed bits; each picks another bit of the same hash.
const salts = [0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31] as const

export function buildFilter(hashes: readonly number[]): { filter: Buffer; blocks: number } {
  const blocks = Math.max(1, Math.ceil((hashes.length * bitsPerTerm) / (blockBytes * 8)))
  const filter = Buffer.alloc(blocks * blockBytes)
  for (const hash of hashes) {
    const at = blockOf(hash, blocks) * blockBytes
    for (let word = 0; word < wordsOfBlock; word++) {
      const position = at + word * 4
      filter.writeUInt32LE((filter.readUInt32LE(position) | bitOf(hash, word)) >>> 0, position)
    }
  }
  return { filter, blocks }
}

/** The block of a filter of so many that tells of this hash. */
export function blockOf(hash: number, blocks: number): number {
  return Math.floor(hash / 256) % blocks
}

/** False when the term is certainly not in the segment that this block is of. */
export function mayContain(block: Buffer, hash: number): boolean {
  for (let word = 0; word < wordsOfBlock; word++) {
    if ((block.readUInt32LE(word * 4) & bitOf(hash, word)) === 0) return false
  }
  return true
}

function bitOf(hash: number, word: number): number {
  return 1 << (Math.imul(hash % 0x1_0000_0000, salts[word] as number) >>> 27)
}
