import type { BodyForm } from './body-text.ts'
import { JsonText, largeTextMin } from './json-text.ts'
import { ThreadPool } from './thread-pool.ts'

const threads = new ThreadPool<{ body: Uint8Array; form: BodyForm }, Uint8Array | undefined>(
  new URL('./body-thread.ts', import.meta.url),
)

export function isLarge(body: { length: number }): boolean {
  return body.length > largeTextMin
}

/** See `bodyText`: a large body is looked at in a thread, in turn with those of other owners, and stays bytes. */
export async function readLargeBody(owner: string, body: Buffer, form: BodyForm): Promise<JsonText | undefined> {
  const text = await threads.run(owner, { body, form })
  return text && new JsonText(Buffer.from(text.buffer, text.byteOffset, text.byteLength))
}
