import { ConfigError } from './config-values.ts'
import type { StorageSettings } from './files/index.ts'

/** Endpoint and keys are in the variables that every S3 tool reads. */
export function readShareStorage(text: string | undefined, env: Record<string, string | undefined>): StorageSettings {
  if (text === undefined || text === 'file:') return { kind: 'file', directory: undefined }
  if (text.startsWith('file:///')) return { kind: 'file', directory: decodeURIComponent(new URL(text).pathname) }
  if (text === 'database:') return { kind: 'database' }
  const named = text.match(/^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w!.*'()/-]*))?$/)
  if (!named) {
    throw new ConfigError(
      'PATCHBAY_STORAGE_URL must be file:, file:///a/directory, s3://bucket/prefix or database:; the default is file:.',
    )
  }
  const needed = (name: string): string => {
    const value = env[name]?.trim()
    if (!value) throw new ConfigError(`PATCHBAY_STORAGE_URL names a bucket, but ${name} is not set.`)
    return value
  }
  const region = env['AWS_REGION']?.trim() || env['AWS_DEFAULT_REGION']?.trim() || 'us-east-1'
  const endpoint = env['AWS_ENDPOINT_URL_S3']?.trim() || env['AWS_ENDPOINT_URL']?.trim()
  if (endpoint && !/^https?:$/.test(URL.canParse(endpoint) ? new URL(endpoint).protocol : ''))
    throw new ConfigError('AWS_ENDPOINT_URL must be an address that starts with https:// or http://.')
  return {
    kind: 's3',
    bucket: named[1] as string,
    prefix: (named[2] ?? '').replace(/^\/+|\/+$/g, ''),
    endpoint: endpoint || `https://s3.${region}.amazonaws.com`,
    region,
    accessKeyId: needed('AWS_ACCESS_KEY_ID'),
    secretAccessKey: needed('AWS_SECRET_ACCESS_KEY'),
    sessionToken: env['AWS_SESSION_TOKEN']?.trim() || undefined,
  }
}
