// A file of a share, sealed under the share's own key on its way to wherever files lie.
import { Readable } from 'node:stream'
import type { FileStore } from '../files/index.ts'
import { deadBufferCollector } from '../lib/minor-gc.ts'
import { decryptStream, encryptStream } from '../secrets/index.ts'

/** Where a file belongs. It opens in no other place. */
export type FilePlace = { readonly shareId: string; readonly fileId: string; readonly index: number }

const bufferBytes = 512 * 1024
const cipherVersion = 1

/** JSON keeps the parts apart: no other share, file and index give the same text. */
export function bindingOf(place: FilePlace): string {
  return JSON.stringify(['patchbay share file', cipherVersion, place.shareId, place.fileId, place.index])
}

/** Encrypts a stream and returns its size. The bytes are durable when this returns. */
export async function writeShareFile(
  store: FileStore,
  source: AsyncIterable<Buffer>,
  dataKey: Buffer,
  place: FilePlace,
): Promise<number> {
  let bytes = 0
  const collect = deadBufferCollector()
  async function* counted() {
    for await (const chunk of source) {
      collect(chunk.length)
      bytes += chunk.length
      yield chunk
    }
  }
  await store.write(place.shareId, place.fileId, encryptStream(counted(), dataKey, bindingOf(place)))
  return bytes
}

/** Fails before the first byte when the file is not there, and at the first byte that is not genuine. */
export async function readShareFile(store: FileStore, dataKey: Buffer, place: FilePlace): Promise<Readable> {
  const file = await store.read(place.shareId, place.fileId)
  const collect = deadBufferCollector()
  async function* decrypted() {
    for await (const chunk of decryptStream(file, dataKey, bindingOf(place))) {
      collect(chunk.length)
      yield chunk
    }
  }
  const plain = Readable.from(decrypted(), { objectMode: false, highWaterMark: bufferBytes })
  // A reader that goes away before it asked for a byte never starts the generator that would close the file.
  return plain.once('close', () => file.destroy())
}
