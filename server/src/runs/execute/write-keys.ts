import { createHash } from 'node:crypto'

/**
 * Names for the writes of one block, the same when the block is run again after a crash: by what is written, and the how manieth of its
 * like it is. So a target can tell a repetition from a second order of the same kind.
 */
export function writeKeys(blockKey: string): (write: { verb: string; url: string; data: unknown }) => string {
  const counts = new Map<string, number>()
  return ({ verb, url, data }) => {
    const text = `${verb} ${url}\n${JSON.stringify(data ?? null)}`
    const hash = createHash('sha256').update(text).digest('base64url').slice(0, 16)
    const count = (counts.get(hash) ?? 0) + 1
    counts.set(hash, count)
    return `${blockKey}:${hash}:${count}`
  }
}
