// PATCHBAY_CONTENTS_URL and PATCHBAY_CONTENTS_BYTES: where large results, logs, calls and webhook bodies go.
import { join } from 'node:path'
import { ConfigError, readInteger } from './config-values.ts'
import type { ContentsSettings } from './contents/index.ts'
import { readBucket, readBucketAccess } from './share-storage-setting.ts'

type Given = { url: string | undefined; bytes: string | undefined; dataDir: string }

const bytesMinDefault = 4096

export function readContents(
  { url, bytes, dataDir }: Given,
  env: Record<string, string | undefined>,
): ContentsSettings {
  return {
    storage: readStorage(url, dataDir, env),
    bytesMin: readInteger('CONTENTS_BYTES', bytes, { fallback: bytesMinDefault, min: 1024, max: 1_000_000_000 }),
    bucketAccess: readBucketAccess(env),
  }
}

function readStorage(
  text: string | undefined,
  dataDir: string,
  env: Record<string, string | undefined>,
): ContentsSettings['storage'] {
  if (text === undefined || text === 'database:') return undefined
  if (text === 'file:') return { kind: 'file', directory: join(dataDir, 'contents') }
  if (text.startsWith('file:///')) return { kind: 'file', directory: decodeURIComponent(new URL(text).pathname) }
  const bucket = readBucket('PATCHBAY_CONTENTS_URL', text, env)
  if (bucket) return { kind: 's3', ...bucket }
  throw new ConfigError(
    'PATCHBAY_CONTENTS_URL must be database:, file:, file:///a/directory or s3://bucket/prefix; the default is database:.',
  )
}
