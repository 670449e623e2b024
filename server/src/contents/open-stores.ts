// The storages of contents: the one that is set, and those that earlier settings named.
import { fileURLToPath } from 'node:url'
import { type Database, sql } from '../db/index.ts'
import {
  type ObjectStore,
  openDirectoryObjects,
  openS3Objects,
  type S3Settings,
  StoreAwayError,
  urlOf,
} from '../files/index.ts'

export type ContentsSettings = {
  /** Undefined: contents stay in their rows. */
  readonly storage:
    | { readonly kind: 'file'; readonly directory: string }
    | ({ readonly kind: 's3' } & S3Settings)
    | undefined
  /** Shorter ones stay in their rows. */
  readonly bytesMin: number
  /** Opens buckets of earlier settings. */
  readonly bucketAccess: Omit<S3Settings, 'bucket' | 'prefix'> | undefined
}

type Known = { url: string; folder: string; endpoint: string | null; region: string | null }

/** Notes the storage in the database, so that its contents are found when the setting has changed. */
export async function openPrimary(
  database: Pick<Database, 'system'>,
  { storage }: ContentsSettings,
  onFault: (error: unknown) => void,
): Promise<ObjectStore | undefined> {
  if (!storage) return undefined
  const isBucket = storage.kind === 's3'
  const url = isBucket ? urlOf(storage) : openDirectoryObjects(storage.directory, '').url
  const { endpoint, region } = isBucket ? storage : { endpoint: null, region: null }
  const { rows } = await database.system.query<{ folder: string }>(sql`
    insert into content_stores (url, endpoint, region) values (${url}, ${endpoint}, ${region})
    on conflict (url) do update set endpoint = excluded.endpoint, region = excluded.region returning folder`)
  const folder = rows[0]?.folder as string
  if (!isBucket) return openDirectoryObjects(storage.directory, folder)
  const store = openS3Objects(storage, folder)
  await store.check().catch((error) => {
    // It may come back; until then contents stay in their rows.
    if (!(error instanceof StoreAwayError)) throw error
    onFault(error)
  })
  return store
}

/** Every storage that contents were ever put in, but the one that is set. */
export async function openEarlier(
  database: Pick<Database, 'system'>,
  settings: ContentsSettings,
  primary: Pick<ObjectStore, 'url'> | undefined,
): Promise<ObjectStore[]> {
  const { rows } = await database.system.query<Known>(
    sql`select url, folder, endpoint, region from content_stores order by created_at desc`,
  )
  return rows.filter(({ url }) => url !== primary?.url).map((known) => openKnown(settings, known))
}

function openKnown({ bucketAccess }: ContentsSettings, { url, folder, endpoint, region }: Known): ObjectStore {
  if (url.startsWith('file:')) return openDirectoryObjects(fileURLToPath(url), folder)
  if (!bucketAccess) return unreachable(url)
  const [bucket = '', ...prefix] = url.slice('s3://'.length).split('/')
  const place = { endpoint: endpoint ?? bucketAccess.endpoint, region: region ?? bucketAccess.region }
  return openS3Objects({ ...bucketAccess, ...place, bucket, prefix: prefix.join('/') }, folder)
}

/** It may well have what is looked for, so it must not be passed over. */
function unreachable(url: string): ObjectStore {
  const fail = async () => {
    throw new Error(`Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: some contents are stored in ${url}.`)
  }
  return { url, put: fail, get: fail, list: fail, remove: fail }
}
