import { join } from 'node:path'
import pg from 'pg'

/** The owner's connection to the embedded database of a bench service, to fill tables faster than the interface could. */
export async function connectOwner(dataDir: string): Promise<pg.Client> {
  const client = new pg.Client({
    host: join(dataDir, 'run'),
    port: 5432,
    user: 'postgres',
    database: 'postgres',
    options: '-c search_path=patchbay',
  })
  await client.connect()
  return client
}
