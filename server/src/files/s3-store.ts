// Files in a bucket: <prefix>/<group>/<file>. A file longer than one part is uploaded in parts, and is there only when the last one is.
import { createHash } from 'node:crypto'
import type { FileStore } from './file-store.ts'
import { createS3Client, type S3Client, type S3Settings } from './s3-client.ts'

/** S3 takes 10,000 parts of at least 5 MiB, some servers only parts of one size: a file may have 156 GiB. */
const partBytes = 16 * 1024 * 1024

export async function openS3Store(settings: S3Settings): Promise<FileStore> {
  const client = createS3Client(settings)
  const folder = settings.prefix === '' ? 'shares' : `${settings.prefix}/shares`
  const keyOf = (group: string, file: string) => `${folder}/${group}/${file}`
  // Wrong keys and a missing bucket are said at the start, not at the first upload.
  await client.list(`${folder}/.check`)
  return {
    id: idOf(settings),
    requireSpace: async () => {},
    create: async () => {},
    write: (group, file, bytes) => upload(client, keyOf(group, file), bytes),
    settle: async () => {},
    list: async (group) => (await client.list(`${folder}/${group}/`)).map((key) => key.slice(key.lastIndexOf('/') + 1)),
    read: (group, file) => client.get(keyOf(group, file)),
    remove: async (group) => {
      for (const { key, uploadId } of await client.listUploads(`${folder}/${group}/`))
        await client.abortUpload(key, uploadId)
      for (const key of await client.list(`${folder}/${group}/`)) await client.delete(key)
    },
  }
}

async function upload(client: S3Client, key: string, bytes: AsyncIterable<Buffer>): Promise<void> {
  const parts = partsOf(bytes)
  const first = await parts.next()
  if (first.done || first.value.isLast) return client.put(key, first.done ? Buffer.alloc(0) : first.value.bytes)
  const uploadId = await client.beginUpload(key)
  try {
    const tags = [await client.putPart(key, uploadId, 1, first.value.bytes)]
    for await (const part of parts) tags.push(await client.putPart(key, uploadId, tags.length + 1, part.bytes))
    await client.finishUpload(key, uploadId, tags)
  } catch (error) {
    await client.abortUpload(key, uploadId).catch(() => {})
    throw error
  }
}

async function* partsOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<{ bytes: Buffer; isLast: boolean }> {
  let part = Buffer.allocUnsafe(partBytes)
  let filled = 0
  for await (const chunk of bytes) {
    for (let taken = 0; taken < chunk.length; ) {
      if (filled === partBytes) {
        yield { bytes: part, isLast: false }
        part = Buffer.allocUnsafe(partBytes)
        filled = 0
      }
      const count = Math.min(chunk.length - taken, partBytes - filled)
      chunk.copy(part, filled, taken, taken + count)
      filled += count
      taken += count
    }
  }
  yield { bytes: part.subarray(0, filled), isLast: true }
}

/** The same for everybody who names the same bucket and prefix, through whichever endpoint. */
function idOf({ bucket, prefix }: S3Settings): string {
  const hex = createHash('sha256').update(`s3://${bucket}/${prefix}`).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}
