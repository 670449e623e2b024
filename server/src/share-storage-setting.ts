import { ConfigError } from './config-values.ts'
import type { S3Settings, StorageSettings } from './files/index.ts'

/** Where buckets are, and what opens them. */
export type BucketAccess = Omit<S3Settings, 'bucket' | 'prefix'>

type Environment = Record<string, string | undefined>

export function readShareStorage(text: string | undefined, env: Environment): StorageSettings {
  if (text === undefined || text === 'file:') return { kind: 'file', directory: undefined }
  if (text.startsWith('file:///')) return { kind: 'file', directory: decodeURIComponent(new URL(text).pathname) }
  if (text === 'database:') return { kind: 'database' }
  const bucket = readBucket('PATCHBAY_STORAGE_URL', text, env)
  if (bucket) return { kind: 's3', ...bucket }
  throw new ConfigError(
    'PATCHBAY_STORAGE_URL must be file:, file:///a/directory, s3://bucket/prefix or database:; the default is file:.',
  )
}

/** Endpoint and keys are in the variables that every S3 tool reads. Undefined when the address names no bucket. */
export function readBucket(setting: string, text: string, env: Environment): S3Settings | undefined {
  const named = text.match(/^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w!.*'()/-]*))?$/)
  if (!named) return undefined
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'])
    if (!env[name]?.trim()) throw new ConfigError(`${setting} names a bucket, but ${name} is not set.`)
  return {
    bucket: named[1] as string,
    prefix: (named[2] ?? '').replace(/^\/+|\/+$/g, ''),
    ...(readBucketAccess(env) as BucketAccess),
  }
}

/** Undefined when a key is missing. */
export function readBucketAccess(env: Environment): BucketAccess | undefined {
  const [accessKeyId, secretAccessKey] = [env['AWS_ACCESS_KEY_ID']?.trim(), env['AWS_SECRET_ACCESS_KEY']?.trim()]
  if (!accessKeyId || !secretAccessKey) return undefined
  const region = env['AWS_REGION']?.trim() || env['AWS_DEFAULT_REGION']?.trim() || 'us-east-1'
  const endpoint = env['AWS_ENDPOINT_URL_S3']?.trim() || env['AWS_ENDPOINT_URL']?.trim()
  if (endpoint && !/^https?:$/.test(URL.canParse(endpoint) ? new URL(endpoint).protocol : ''))
    throw new ConfigError('AWS_ENDPOINT_URL must be an address that starts with https:// or http://.')
  return {
    endpoint: endpoint || `https://s3.${region}.amazonaws.com`,
    region,
    accessKeyId,
    secretAccessKey,
    sessionToken: env['AWS_SESSION_TOKEN']?.trim() || undefined,
  }
}
