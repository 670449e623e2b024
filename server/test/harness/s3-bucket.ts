// A bucket on a server that speaks S3 (it knows keys by their id and does not recalculate signatures), with its objects in a directory of its own.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'

export type TestBucket = AsyncDisposable & {
  env(url: string): Record<string, string>
  /** Of every object. */
  keys(): string[]
  /** The bytes of the first object whose key holds the text. */
  read(text: string): Buffer
}

export async function startBucket(): Promise<TestBucket> {
  const directory = mkdtempSync(join(tmpdir(), 'patchbay-bucket-'))
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: 'shares', configs: [] }],
  })
  const { port } = (await server.run()) as AddressInfo
  const objects = () =>
    readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('_object'))
  return {
    env: (url) => ({
      PATCHBAY_STORAGE_URL: url,
      AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
    }),
    keys: objects,
    read: (text) => readFileSync(join(directory, objects().find((file) => file.includes(text)) ?? '')),
    [Symbol.asyncDispose]: async () => {
      await server.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
