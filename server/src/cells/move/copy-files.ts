// Files of shares. They never change once their share is there, so most of them are copied before the organization is held.
import type { FileStore } from '../../files/index.ts'
import { MissingFileError } from '../../files/index.ts'
import { MoveError } from './move-error.ts'
import { asService, type Side } from './side.ts'
import { fillIn, type Organization } from './tables.ts'

type ShareRow = { id: string; storage_id: string }

async function listShares({ client }: Side, organization: Organization, statuses: string): Promise<ShareRow[]> {
  const condition = fillIn(`account_id = any(:accounts) and ${statuses}`, organization)
  const { rows } = await asService(client, () =>
    client.query<ShareRow>(`select id, storage_id from shares where ${condition} order by id`),
  )
  return rows
}

/** A store that both cells use has everything already. */
const isShared = (target: Side, storeId: string) => target.files.primary.id === storeId

function storeOf({ files, cell }: Side, { id, storage_id }: ShareRow): FileStore {
  const store = files.find(storage_id)
  if (store) return store
  throw new MoveError(
    `The files of the share ${id} are in the data directory of another machine of the cell ${cell}. Run the command there, or move the shares to database: or s3:// first.`,
  )
}

/** Copies what `done` does not have yet, and adds it there. Returns which stores of the source lie in which of the target now. */
export async function copyFiles(
  source: Side,
  target: Side,
  organization: Organization,
  done: Set<string>,
): Promise<Map<string, string>> {
  const stores = new Map<string, string>()
  const to = target.files.primary
  for (const share of await listShares(source, organization, `status in ('Ready', 'Locked')`)) {
    if (isShared(target, share.storage_id)) continue
    const from = storeOf(source, share)
    stores.set(from.id, to.id)
    if (done.has(share.id)) continue
    // An attempt that was killed may have left something.
    await to.remove(share.id)
    await to.create(share.id)
    for (const file of await from.list(share.id)) await to.write(share.id, file, await readFile(from, share.id, file))
    await to.settle(share.id)
    done.add(share.id)
  }
  return stores
}

async function readFile(store: FileStore, group: string, file: string): Promise<AsyncIterable<Buffer>> {
  try {
    return (await store.read(group, file)) as AsyncIterable<Buffer>
  } catch (error) {
    if (!(error instanceof MissingFileError)) throw error
    throw new MoveError(`A file of the share ${group} is missing. Delete the share, and run the command again.`)
  }
}

/** What was copied for nothing. */
export async function removeCopiedFiles(source: Side, target: Side, organization: Organization): Promise<void> {
  for (const share of await listShares(source, organization, 'true'))
    if (!isShared(target, share.storage_id)) await target.files.primary.remove(share.id)
}

/** Before the rows, so that nothing is left that no row knows of. */
export async function removeMovedFiles(source: Side, target: Side, organization: Organization): Promise<void> {
  for (const share of await listShares(source, organization, 'true'))
    if (!isShared(target, share.storage_id)) await source.files.find(share.storage_id)?.remove(share.id)
}
