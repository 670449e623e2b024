// Replaces the master key while the service runs. Only keys are wrapped anew, never the values that they seal.
//
//   1. the key file becomes [new, old]           processes that meet the id of the new key read the file again and find it
//   2. the new key becomes the current one       keys that are made from now on are wrapped by it
//   3. batch after batch is wrapped anew         each row names the key that opens it, so readers do not care how far this is
//   4. the old key is retired in the database    its row cannot go while anything is wrapped by it; then nothing ever can be again
//   5. the key file becomes [new]
//
// Every step can be repeated: after kill -9 at any moment the same command goes on where it was.
//
// Where several machines hold copies of the file, or it cannot be written, step 1 is the operator's: put the new key before the old one in every
// copy (or in PATCHBAY_MASTER_KEY, followed by a restart of each process), then run the command.
import { randomBytes } from 'node:crypto'
import { type Database, inOrder, sql, violatedConstraint } from '../db/index.ts'
import { addToKeyFile, retireFromKeyFile } from './key-file.ts'
import { missingKey } from './key-ring.ts'
import { type MasterKey, MasterKeyError, masterKeyFrom } from './master-key.ts'
import { type MasterKeySource, MasterKeys } from './master-keys.ts'
import { rewrapDataKeys, rewrapSystemKeys } from './rewrap-keys.ts'

type Rotation = {
  database: Database
  source: MasterKeySource
  /** Undefined: one is made. */
  newKey?: Buffer | undefined
  say: (line: string) => void
}

export async function rotateMasterKey(rotation: Rotation): Promise<void> {
  const { database, source, say } = rotation
  const keys = new MasterKeys(source.kind === 'file' ? { ...source, createIfMissing: false } : source)
  const isUnderWay = await readProgress(database, keys)
  const target = isUnderWay ? goOn(rotation, keys) : begin(rotation, keys)
  await makeCurrent(database, target)
  for (;;) {
    await rewrapDataKeys(database, keys, target, say)
    await rewrapSystemKeys(database, keys, target)
    if (await retireOthers(database, target)) break
    // A process that did not know of the rotation yet made a key with the old one meanwhile: it is wrapped anew too.
  }
  finish(source, target, say)
}

async function readProgress(database: Database, keys: MasterKeys): Promise<boolean> {
  const { rows } = await database.system.query<{ id: string; is_current: boolean }>(
    sql`select id, is_current from master_keys`,
  )
  const current = rows.find((row) => row.is_current)
  if (!current) throw new MasterKeyError('This database has no keys yet: start the service once.')
  for (const { id } of rows) if (!keys.find(id)) throw missingKey(keys, id)
  return rows.length > 1 || keys.count > 1 || keys.newest.id !== current.id
}

function begin({ source, newKey, say }: Rotation, keys: MasterKeys): MasterKey {
  if (source.kind === 'value') {
    throw new MasterKeyError(
      'The master key is given as a value, which running processes cannot read again. Set PATCHBAY_MASTER_KEY to the new key and the old one, separated by a comma, restart every process, and run this again.',
    )
  }
  const old = keys.newest.id
  addToKeyFile(source.path, newKey ?? randomBytes(32))
  keys.reload()
  say(`Added the new master key ${keys.newest.id} before the key ${old} in ${source.path}.`)
  return keys.newest
}

function goOn({ newKey, say }: Rotation, keys: MasterKeys): MasterKey {
  if (newKey && masterKeyFrom(newKey).id !== keys.newest.id) {
    throw new MasterKeyError(
      `A rotation to the master key ${keys.newest.id} is in progress. Finish it first: run this command without --new-key-file.`,
    )
  }
  say(`Resuming the rotation to the master key ${keys.newest.id}.`)
  return keys.newest
}

async function makeCurrent(database: Database, target: MasterKey): Promise<void> {
  await database.system.transaction(async (tx) => {
    await inOrder(tx, [
      (db) => db.query(sql`update master_keys set is_current = false where is_current and id <> ${target.id}`),
      (db) =>
        db.query(sql`
        insert into master_keys (id, is_current) values (${target.id}, true) on conflict (id) do update set is_current = true`),
    ])
  })
}

/** False when something is still wrapped by another key. */
async function retireOthers(database: Database, target: MasterKey): Promise<boolean> {
  try {
    await database.system.query(sql`delete from master_keys where id <> ${target.id}`)
    return true
  } catch (error) {
    if (violatedConstraint(error)?.endsWith('_master_key')) return false
    throw error
  }
}

function finish(source: MasterKeySource, target: MasterKey, say: (line: string) => void): void {
  say(`Every key is wrapped by the master key ${target.id}.`)
  if (source.kind === 'value') {
    say('Leave only the first key in PATCHBAY_MASTER_KEY before the next start.')
    return
  }
  try {
    retireFromKeyFile(source.path, new Set([target.id]))
    say(
      `${source.path} now holds only the new key. The old one is in ${source.path}.retired: earlier backups need it. Delete it together with them.`,
    )
  } catch (error) {
    if (!(error instanceof MasterKeyError)) throw error
    say(`${error.message} Remove every key but the first from it.`)
  }
}
