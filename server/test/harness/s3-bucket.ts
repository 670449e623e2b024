// A bucket on a server that speaks S3 (it knows keys by their id and does not recalculate signatures), with its objects in a directory of its own.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'

export type TestBucket = AsyncDisposable & {
  env(url: string): Record<string, string>
  /** The settings that name it for contents. */
  contentsEnv(url: string): Record<string, string>
  /** While it is away it answers 503 to everything. */
  isAway: boolean
  /** How many requests it has answered so. */
  readonly refused: number
  /** Lets requests that write wait until the returned function is called. */
  holdWrites(): { arrived: Promise<void>; release(): void }
  /** Of every object. */
  keys(): string[]
  /** The bytes of the first object whose key holds the text. */
  read(text: string): Buffer
  /** Puts other bytes in its place. */
  write(text: string, bytes: Buffer): void
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
  const gate = { isAway: false, refused: 0, onWrite: async () => {} }
  type Step = (context: { status: number; method: string }, next: () => Promise<void>) => Promise<void>
  const { middleware } = server as unknown as { middleware: Step[] }
  middleware.unshift(async (context, next) => {
    if (context.method === 'PUT') await gate.onWrite()
    if (!gate.isAway) return next()
    context.status = 503
    gate.refused++
  })
  const { port } = (await server.run()) as AddressInfo
  const objects = () =>
    readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('_object'))
  const keys = {
    AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
  }
  const pathOf = (text: string) => join(directory, objects().find((file) => file.includes(text)) ?? '')
  return {
    env: (url) => ({ PATCHBAY_STORAGE_URL: url, ...keys }),
    contentsEnv: (url) => ({ PATCHBAY_CONTENTS_URL: url, ...keys }),
    get isAway() {
      return gate.isAway
    },
    set isAway(isAway) {
      gate.isAway = isAway
    },
    get refused() {
      return gate.refused
    },
    holdWrites: () => {
      const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      gate.onWrite = () => {
        arrived.resolve()
        return released.promise
      }
      return { arrived: arrived.promise, release: released.resolve }
    },
    keys: objects,
    read: (text) => readFileSync(pathOf(text)),
    write: (text, bytes) => writeFileSync(pathOf(text), bytes),
    [Symbol.asyncDispose]: async () => {
      await server.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
