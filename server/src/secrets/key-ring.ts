// The keys in use: one data key an account, and the installation's own. All are stored wrapped by the master key.
import { randomBytes } from 'node:crypto'
import { type Database, type Queryable, sql } from '../db/index.ts'
import { newId } from '../lib/id.ts'
import { type DataKey, open, type Place, seal } from './envelope.ts'
import { type MasterKey, MasterKeyError } from './master-key.ts'

/** `apiKeyHash` is the pepper of stored key hashes; `session` signs what the console carries. */
type SystemPurpose = 'apiKeyHash' | 'session'

const cachedKeysMax = 10_000

export class KeyRing {
  readonly #database: Database
  readonly #master: MasterKey
  readonly #dataKeys = new Map<string, Promise<DataKey>>()
  readonly #systemKeys: Record<SystemPurpose, Buffer>

  private constructor(database: Database, master: MasterKey, systemKeys: Record<SystemPurpose, Buffer>) {
    this.#database = database
    this.#master = master
    this.#systemKeys = systemKeys
  }

  /** Refuses a master key that is not the one this database was made with. */
  static async load(database: Database, master: MasterKey): Promise<KeyRing> {
    const [apiKeyHash, session] = await Promise.all([
      loadSystemKey(database, master, 'apiKeyHash'),
      loadSystemKey(database, master, 'session'),
    ])
    return new KeyRing(database, master, { apiKeyHash, session })
  }

  systemKey(purpose: SystemPurpose): Buffer {
    return this.#systemKeys[purpose]
  }

  /** A data key for an account that is being created; `insertDataKey` stores it in the same transaction as the account. */
  async newDataKey(accountId: string): Promise<{ key: DataKey; wrapped: Buffer; masterKeyId: string }> {
    const key = { id: newId(), bytes: randomBytes(32) }
    return {
      key,
      wrapped: await this.#master.wrap(key.bytes, dataKeyPlace(key.id, accountId)),
      masterKeyId: this.#master.id,
    }
  }

  async seal(place: Place, plain: Buffer): Promise<Buffer> {
    return seal(await this.#dataKey(place.accountId), place, plain)
  }

  async open(place: Place, sealed: Buffer): Promise<Buffer> {
    return open(await this.#dataKey(place.accountId), place, sealed)
  }

  #dataKey(accountId: string): Promise<DataKey> {
    let key = this.#dataKeys.get(accountId)
    if (!key) {
      if (this.#dataKeys.size >= cachedKeysMax) this.#dataKeys.clear()
      key = this.#loadDataKey(accountId)
      this.#dataKeys.set(accountId, key)
      key.catch(() => this.#dataKeys.delete(accountId))
    }
    return key
  }

  async #loadDataKey(accountId: string): Promise<DataKey> {
    const { rows } = await this.#database.system.query<{ id: string; wrapped: Buffer }>(
      sql`select id, wrapped from data_keys where account_id = ${accountId}`,
    )
    const row = rows[0]
    if (!row) throw new Error(`The account ${accountId} has no data key.`)
    return { id: row.id, bytes: await this.#master.unwrap(row.wrapped, dataKeyPlace(row.id, accountId)) }
  }
}

export async function insertDataKey(
  tx: Queryable,
  accountId: string,
  made: { key: DataKey; wrapped: Buffer; masterKeyId: string },
): Promise<void> {
  await tx.query(
    sql`insert into data_keys (id, account_id, master_key_id, wrapped) values (${made.key.id}, ${accountId}, ${made.masterKeyId}, ${made.wrapped})`,
  )
}

function dataKeyPlace(keyId: string, accountId: string): string {
  return `data key ${keyId} of account ${accountId}`
}

async function loadSystemKey(database: Database, master: MasterKey, purpose: SystemPurpose): Promise<Buffer> {
  const place = `system key ${purpose}`
  const fresh = await master.wrap(randomBytes(32), place)
  // Of several processes that start at once on an empty database one inserts, and all read what it inserted.
  await database.system.query(
    sql`insert into system_keys (purpose, master_key_id, wrapped) values (${purpose}, ${master.id}, ${fresh}) on conflict do nothing`,
  )
  const { rows } = await database.system.query<{ master_key_id: string; wrapped: Buffer }>(
    sql`select master_key_id, wrapped from system_keys where purpose = ${purpose}`,
  )
  const row = rows[0]!
  try {
    return await master.unwrap(row.wrapped, place)
  } catch (cause) {
    throw new MasterKeyError(
      `The master key is not the one this database was made with (it needs the key ${row.master_key_id}, this one is ${master.id}). Nothing was changed.`,
      { cause },
    )
  }
}
