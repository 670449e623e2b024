import { type Database, sql } from '../db/index.ts'
import { dataKeyPlace, missingKey, systemKeyPlace } from './key-ring.ts'
import { type MasterKey, MasterKeyError, type MasterKeyProvider } from './master-key.ts'

/** Rows that are locked at once: few enough that nobody waits for them noticeably. */
const batchRows = 500

type DataKeyRow = { id: string; account_id: string; master_key_id: string; wrapped: Buffer }

/** Wraps every data key anew that is not wrapped by `target`. A key that does not open is left alone and named at the end. */
export async function rewrapDataKeys(
  database: Database,
  keys: MasterKeyProvider,
  target: MasterKey,
  say: (line: string) => void,
): Promise<void> {
  const { rows: counts } = await database.system.query<{ total: number }>(
    sql`select count(*) as total from data_keys where master_key_id <> ${target.id}`,
  )
  const total = counts[0]?.total ?? 0
  const damaged: string[] = []
  let done = 0
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const { rows } = await database.system.query<DataKeyRow>(sql`
      select id, account_id, master_key_id, wrapped from data_keys
      where master_key_id <> ${target.id} and id > ${after} order by id limit ${batchRows}`)
    const last = rows.at(-1)
    if (!last) break
    after = last.id
    const wrapped = await Promise.all(
      rows.map((row) => rewrap(keys, target, row, dataKeyPlace(row.id, row.account_id))),
    )
    damaged.push(...rows.filter((_, index) => wrapped[index] === undefined).map((row) => row.id))
    const whole = rows.flatMap((row, index) => (wrapped[index] ? [{ row, wrapped: wrapped[index] }] : []))
    // Fenced by the id of the old key: what another process wrapped anew in the meantime stays as it is.
    await database.system.query(sql`
      update data_keys set wrapped = given.wrapped, master_key_id = ${target.id}
      from unnest(${whole.map(({ row }) => row.id)}::uuid[], ${whole.map(({ row }) => row.master_key_id)}::text[],
                  ${whole.map((entry) => entry.wrapped)}::bytea[]) as given (id, master_key_id, wrapped)
      where data_keys.id = given.id and data_keys.master_key_id = given.master_key_id`)
    done += whole.length
    say(`Rewrapped ${done} of ${total} keys.`)
  }
  if (damaged.length > 0) {
    throw new MasterKeyError(
      `${damaged.length} data keys cannot be decrypted and were left as they are. The old master key is kept until they are repaired: ${damaged.slice(0, 20).join(', ')}.`,
    )
  }
}

export async function rewrapSystemKeys(database: Database, keys: MasterKeyProvider, target: MasterKey): Promise<void> {
  const { rows } = await database.system.query<{ purpose: string; master_key_id: string; wrapped: Buffer }>(
    sql`select purpose, master_key_id, wrapped from system_keys where master_key_id <> ${target.id}`,
  )
  for (const row of rows) {
    const place = systemKeyPlace(row.purpose)
    const wrapped = await rewrap(keys, target, row, place)
    if (!wrapped) throw new MasterKeyError(`The ${place} cannot be decrypted. The old master key is kept.`)
    await database.system.query(sql`
      update system_keys set wrapped = ${wrapped}, master_key_id = ${target.id}
      where purpose = ${row.purpose} and master_key_id = ${row.master_key_id}`)
  }
}

/** Undefined when the key does not open with the master key that it names. */
async function rewrap(
  keys: MasterKeyProvider,
  target: MasterKey,
  row: { master_key_id: string; wrapped: Buffer },
  place: string,
): Promise<Buffer | undefined> {
  const master = keys.find(row.master_key_id)
  if (!master) throw missingKey(keys, row.master_key_id)
  const key = await master.unwrap(row.wrapped, place).catch(() => undefined)
  return key && target.wrap(key, place)
}
