// A list lies in rows of moderate size.
import type { Json } from '../../lib/json.ts'

/** Of one list, a chunk holds about so many characters. */
const chunkCharacters = 500_000

export function toChunks(list: readonly { key: string; item: Json }[]): { firstIndex: number; content: string }[] {
  const chunks: { firstIndex: number; content: string }[] = []
  let texts: string[] = []
  let characters = 0
  let firstIndex = 0
  const close = (next: number) => {
    chunks.push({ firstIndex, content: `[${texts.join(',')}]` })
    texts = []
    characters = 0
    firstIndex = next
  }
  for (const [index, { key, item }] of list.entries()) {
    const text = JSON.stringify([key, item])
    if (characters > 0 && characters + text.length > chunkCharacters) close(index)
    texts.push(text)
    characters += text.length
  }
  if (texts.length > 0 || chunks.length === 0) close(list.length)
  return chunks
}
