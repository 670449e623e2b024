// The keys in use: one data key an account, and the installation's own. All are stored wrapped by a master key, whose id stands beside them.
import { hkdfSync, randomBytes } from 'node:crypto'
import { type Database, type Queryable, sql } from '../db/index.ts'
import { newId } from '../lib/id.ts'
import { type DataKey, open, type Place, seal } from './envelope.ts'
import { type MasterKey, MasterKeyError, type MasterKeyProvider } from './master-key.ts'

/** `apiKeyHash` is the pepper of stored key hashes; `session` signs what the console carries; `auditChain` links the audit log. */
type SystemPurpose = 'apiKeyHash' | 'session' | 'auditChain'

const cachedKeysMax = 10_000
/** `@`, with which no sealed value begins. */
const referenceMark = 0x40

/** Opens the sealed value that a reference leads to. */
type OpenElsewhere = (place: Place, reference: Buffer) => Promise<Buffer>

export class KeyRing {
  readonly #database: Database
  readonly #masterKeys: MasterKeyProvider
  readonly #dataKeys = new Map<string, Promise<DataKey>>()
  readonly #systemKeys: Record<SystemPurpose, Buffer>
  #openElsewhere: OpenElsewhere | undefined

  private constructor(database: Database, masterKeys: MasterKeyProvider, systemKeys: Record<SystemPurpose, Buffer>) {
    this.#database = database
    this.#masterKeys = masterKeys
    this.#systemKeys = systemKeys
  }

  /** Refuses a master key that is not the one this database was made with. */
  static async load(database: Database, masterKeys: MasterKeyProvider, seed?: Buffer): Promise<KeyRing> {
    const { id } = masterKeys.newest
    // Of several processes that start at once on an empty database one inserts, and all go by what it inserted.
    await database.system.query(
      sql`insert into master_keys (id, is_current) select ${id}, true where not exists (select from master_keys) on conflict do nothing`,
    )
    const current = await currentMasterKey(database, masterKeys)
    const deps = { database, masterKeys, current, seed }
    const [apiKeyHash, session, auditChain] = await Promise.all([
      loadSystemKey(deps, 'apiKeyHash'),
      loadSystemKey(deps, 'session'),
      loadSystemKey(deps, 'auditChain'),
    ])
    return new KeyRing(database, masterKeys, { apiKeyHash, session, auditChain })
  }

  systemKey(purpose: SystemPurpose): Buffer {
    return this.#systemKeys[purpose]
  }

  /**
   * A data key for an account that is being created; `insertDataKey` stores it in the same transaction as the account. The current master
   * key is asked of the database: this process may have started before a rotation. Should one end between here and the insert, the
   * database refuses the insert, and the account can be created by the next try.
   */
  async newDataKey(accountId: string): Promise<{ key: DataKey; wrapped: Buffer; masterKeyId: string }> {
    const master = await currentMasterKey(this.#database, this.#masterKeys)
    const key = { id: newId(), bytes: randomBytes(32) }
    return { key, wrapped: await master.wrap(key.bytes, dataKeyPlace(key.id, accountId)), masterKeyId: master.id }
  }

  async seal(place: Place, plain: Buffer): Promise<Buffer> {
    return seal(await this.#dataKey(place.accountId), place, plain)
  }

  /** Seals at once for whoever seals often for one account. The data key of an account stays the same; only its wrapping changes. */
  async sealerFor(accountId: string): Promise<(place: Omit<Place, 'accountId'>, plain: Buffer) => Buffer> {
    const key = await this.#dataKey(accountId)
    return ({ table, column, rowId }, plain) => seal(key, { table, column, rowId, accountId }, plain)
  }

  async open(place: Place, sealed: Buffer): Promise<Buffer> {
    if (sealed[0] === referenceMark && this.#openElsewhere) return this.#openElsewhere(place, sealed)
    return open(await this.#dataKey(place.accountId), place, sealed)
  }

  /** Says who opens values that lie outside the database, so that whoever opens one need not know where it lies. */
  openElsewhere(open: OpenElsewhere): void {
    this.#openElsewhere = open
  }

  /** A key of the account for one purpose. It stays the same when the master key is replaced, because the data key does. */
  async derivedKey(accountId: string, purpose: string): Promise<Buffer> {
    const { bytes } = await this.#dataKey(accountId)
    return Buffer.from(hkdfSync('sha256', bytes, Buffer.alloc(0), `patchbay ${purpose}`, 32))
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
    const { rows } = await this.#database.lookups.query<{ id: string; master_key_id: string; wrapped: Buffer }>(
      sql`select id, master_key_id, wrapped from data_keys where account_id = ${accountId}`,
    )
    const row = rows[0]
    if (!row) throw new Error(`The account ${accountId} has no data key.`)
    const master = this.#masterKeys.find(row.master_key_id)
    if (!master) throw missingKey(this.#masterKeys, row.master_key_id)
    return { id: row.id, bytes: await master.unwrap(row.wrapped, dataKeyPlace(row.id, accountId)) }
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

export function dataKeyPlace(keyId: string, accountId: string): string {
  return `data key ${keyId} of account ${accountId}`
}

export function systemKeyPlace(purpose: string): string {
  return `system key ${purpose}`
}

export function missingKey(masterKeys: MasterKeyProvider, neededId: string): MasterKeyError {
  return new MasterKeyError(
    `The master key is not the one this database was made with (it needs the key ${neededId}, this one is ${masterKeys.newest.id}). Nothing was changed.`,
  )
}

async function currentMasterKey(database: Database, masterKeys: MasterKeyProvider): Promise<MasterKey> {
  const { rows } = await database.lookups.query<{ id: string }>(sql`select id from master_keys where is_current`)
  const id = rows[0]?.id ?? ''
  const found = masterKeys.find(id)
  if (!found) throw missingKey(masterKeys, id)
  return found
}

type LoadDeps = { database: Database; masterKeys: MasterKeyProvider; current: MasterKey; seed: Buffer | undefined }

/** Of several cells, each has the same: what one has hashed or signed, another can check. */
function seededKey(seed: Buffer, purpose: SystemPurpose): Buffer {
  return Buffer.from(hkdfSync('sha256', seed, Buffer.alloc(0), `patchbay system key ${purpose}`, 32))
}

async function loadSystemKey(
  { database, masterKeys, current, seed }: LoadDeps,
  purpose: SystemPurpose,
): Promise<Buffer> {
  const place = systemKeyPlace(purpose)
  const fresh = await current.wrap(seed ? seededKey(seed, purpose) : randomBytes(32), place)
  await database.system.query(
    sql`insert into system_keys (purpose, master_key_id, wrapped) values (${purpose}, ${current.id}, ${fresh}) on conflict do nothing`,
  )
  const { rows } = await database.system.query<{ master_key_id: string; wrapped: Buffer }>(
    sql`select master_key_id, wrapped from system_keys where purpose = ${purpose}`,
  )
  const row = rows[0]!
  const master = masterKeys.find(row.master_key_id)
  if (!master) throw missingKey(masterKeys, row.master_key_id)
  const key = await master.unwrap(row.wrapped, place).catch((cause: Error) => {
    throw new MasterKeyError(
      `The ${place} in the database is damaged or was tampered with: it cannot be decrypted. Patchbay changed nothing.`,
      {
        cause,
      },
    )
  })
  if (seed && !key.equals(seededKey(seed, purpose))) {
    throw new MasterKeyError(
      `PATCHBAY_SYSTEM_KEY_SEED is not the seed that the ${place} of this database was made from. Set it back to the value it had at the first start.`,
    )
  }
  return key
}
