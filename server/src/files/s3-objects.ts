// Objects in a bucket: <prefix>/contents/<folder>/<key>.
import { buffer } from 'node:stream/consumers'
import { FileStoreError, MissingFileError, StoreAwayError } from './file-store.ts'
import type { ObjectStore } from './object-store.ts'
import { createS3Client, type S3Settings } from './s3-client.ts'

/** Whoever writes has a place to put it instead, and whoever reads is told to come back. */
const answerMs = 10_000
const atOnceMs = 1000

export function openS3Objects(settings: S3Settings, folder: string): ObjectStore & { check(): Promise<void> } {
  const client = createS3Client(settings, { answerMs, transferMs: answerMs, readMs: answerMs, retries: 1 })
  const root = `${settings.prefix === '' ? '' : `${settings.prefix}/`}contents/${folder}/`
  return {
    url: urlOf(settings),
    /** Wrong keys and a missing bucket are told at the start. */
    check: async () => void (await client.listPage(root, '', 1)),
    put: (key, bytes) => onceMore(() => client.put(root + key, bytes)),
    get: async (key) => {
      try {
        return await buffer(await onceMore(() => client.get(root + key)))
      } catch (error) {
        if (error instanceof MissingFileError) return undefined
        if (error instanceof FileStoreError) throw error
        // The answer began well and broke off.
        throw new StoreAwayError(`The storage at ${settings.endpoint} does not answer.`, { cause: error })
      }
    },
    list: async (after, count) =>
      (await onceMore(() => client.listPage(root, after === '' ? '' : root + after, count))).map((key) =>
        key.slice(root.length),
      ),
    remove: (keys) => onceMore(() => client.deleteAll(keys.map((key) => root + key))),
  }
}

/** A connection that the server closed while it was idle fails at once, and says nothing about the storage. */
async function onceMore<Result>(ask: () => Promise<Result>): Promise<Result> {
  const began = performance.now()
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof StoreAwayError) || performance.now() - began > atOnceMs) throw error
    return ask()
  }
}

export function urlOf({ bucket, prefix }: Pick<S3Settings, 'bucket' | 'prefix'>): string {
  return `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`
}
