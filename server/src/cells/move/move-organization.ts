/**
 * Moves one organization, with everything it has, from the database of one cell to that of another.
 *
 *   here ─(hold)─► held ─(quiet, freeze)─► frozen ─(copy: one transaction of the target)─► there ─(mark)─► moved ─(erase)─► erased
 *     ▲                │                      │
 *     └───(take back)──┴──────────────────────┘
 *
 * Where it lives is decided by one commit: that of the target's transaction, which brings all rows and the note of their arrival. Before it the
 * source's rows are frozen, so no moment has two that work on it. Whatever dies at whatever moment, the command run again reads the state
 * from the two databases and goes on, or takes the hold back.
 */
import { auditTables, noAccount, recordAudit } from '../../audit/index.ts'
import { newId } from '../../lib/id.ts'
import {
  findOrganization,
  listAccounts,
  requireRights,
  requireRoom,
  requireSameKeys,
  requireSameSchema,
} from './check.ts'
import { copyAudit } from './copy-audit.ts'
import { copyFiles, removeCopiedFiles, removeMovedFiles } from './copy-files.ts'
import { type CopyDeps, copyJobs, copyTable, listFilled, withRole } from './copy-rows.ts'
import { copyStoredContents } from './copy-stored-contents.ts'
import { eraseRows } from './erase.ts'
import { freezeTable, isFrozen, thaw } from './freeze.ts'
import { beginHold, endHold, findMove, findOtherMove, holdAccounts, noteAddresses, settleMove } from './hold.ts'
import { MoveError } from './move-error.ts'
import { listBusy, noticeMs, waitUntilQuiet } from './quiet.ts'
import { asService, queryableOf, type Side } from './side.ts'
import { listTables, type Organization } from './tables.ts'

export type MoveDeps = {
  source: Side
  target: Side
  /** How long what was begun may take to end. */
  waitMs: number
  say(line: string): void
}

// Any constants will do; they only have to be ours.
const sourceLock = 7_230_118_460
const targetLock = 7_230_118_461

/** `takesBack`: an organization that is held here, and did not arrive there, is let go on here. */
export async function moveOrganization(deps: MoveDeps, wanted: string, takesBack: boolean): Promise<void> {
  const { source, target, say } = deps
  if (source.cell === target.cell)
    throw new MoveError(`The organization is already in the cell ${target.cell}: both cells are the same.`)
  await requireRights(source)
  await requireRights(target)
  await requireSameSchema(source, target)
  await requireSameKeys(source, target)
  await lockBoth(source, target)
  const begun = await findBegun(source, target, wanted)
  if (!begun && (await isMoved(source, target, wanted))) {
    if (takesBack)
      throw new MoveError(`The organization lives in the cell ${target.cell}: there is nothing to take back here.`)
    return say(`The organization is in the cell ${target.cell} already. There is nothing left to do.`)
  }
  const organization = begun?.organization ?? (await findOrganization(source, wanted))
  if (begun?.isThere) {
    say(`The cell ${target.cell} has the organization "${organization.name}" already; finishing at ${source.cell}.`)
    return finishOrTell(deps, organization)
  }
  if (takesBack) {
    if (!begun) throw new MoveError('The organization is not being moved: there is nothing to take back.')
    await takeBack(deps, organization)
    return say(`Taken back: the organization "${organization.name}" stays in the cell ${source.cell}.`)
  }
  await requireRoom(source, target, organization)
  await bring(deps, organization, begun !== undefined)
  await finishOrTell(deps, organization)
}

/** One move at a time out of a cell, and into one. Whatever a command before this one had sent to the target is over once its lock is free. */
async function lockBoth(source: Side, target: Side): Promise<void> {
  const { rows } = await source.client.query<{ mine: boolean }>('select pg_try_advisory_lock($1) as mine', [sourceLock])
  if (!rows[0]?.mine) throw new MoveError(`Another command is moving an organization out of the cell ${source.cell}.`)
  await target.client.query("set lock_timeout = '60s'")
  await target.client.query('select pg_advisory_lock($1)', [targetLock]).catch(() => {
    throw new MoveError(`Another command is moving an organization into the cell ${target.cell}.`)
  })
  await target.client.query('set lock_timeout = 0')
}

type Begun = { organization: Organization; isThere: boolean }

async function findBegun(source: Side, target: Side, wanted: string): Promise<Begun | undefined> {
  const { rows } = await asService(source.client, () =>
    source.client.query<{ id: string }>(
      `select m.organization_id as id from organization_moves m left join organizations o on o.id = m.organization_id
       where (m.organization_id::text = lower($1) or o.name = $1) and m.erased_at is null`,
      [wanted],
    ),
  )
  const id = rows[0]?.id
  const move = id === undefined ? undefined : await findMove(source.client, id)
  if (id === undefined || !move) return undefined
  if (move.toCell !== target.cell)
    throw new MoveError(
      `The organization is being moved to the cell ${move.toCell}, not to ${target.cell}. Finish that move, or take it back with --take-back.`,
    )
  const { rows: arrivals } = await asService(target.client, () =>
    target.client.query<{ move_id: string }>('select move_id from organization_arrivals where organization_id = $1', [
      id,
    ]),
  )
  const isThere = arrivals[0]?.move_id === move.moveId
  const { rows: named } = await asService(isThere ? target.client : source.client, () =>
    (isThere ? target : source).client.query<{ name: string }>('select name from organizations where id = $1', [id]),
  )
  return {
    organization: {
      id,
      name: named[0]?.name ?? id,
      // Accounts that are erased here already are known there.
      accountIds: [
        ...new Set([...(await listAccounts(source.client, id)), ...(await listAccounts(target.client, id))]),
      ],
    },
    isThere,
  }
}

/** A command that died after its last step has moved everything, and told nobody. */
async function isMoved(source: Side, target: Side, wanted: string): Promise<boolean> {
  const { rows: erased } = await asService(source.client, () =>
    source.client.query<{ move_id: string }>(
      `select m.move_id from organization_moves m where m.erased_at is not null and m.to_cell = $1
         and not exists (select from organizations o where o.id = m.organization_id or o.name = $2)`,
      [target.cell, wanted],
    ),
  )
  const { rowCount } = await asService(target.client, () =>
    target.client.query(
      `select from organizations o join organization_arrivals a on a.organization_id = o.id
       where (o.id::text = lower($1) or o.name = $1) and a.move_id = any($2::uuid[])`,
      [wanted, erased.map(({ move_id }) => move_id)],
    ),
  )
  return rowCount === 1
}

/** From here to there; taken back whole when it does not succeed. */
async function bring(deps: MoveDeps, organization: Organization, isHeld: boolean): Promise<void> {
  const { source, target, say } = deps
  const other = await findOtherMove(source.client, organization.id)
  if (other !== undefined)
    throw new MoveError(`The organization ${other} is being moved out of ${source.cell}. Finish that first.`)
  const copied = new Set<string>()
  await copyFiles(source, target, organization, copied)
  if (!isHeld) {
    if (await isFrozen(source.client)) await thaw(source.client)
    await beginHold(source.client, organization, { id: newId(), toCell: target.cell })
  } else await asService(source.client, () => holdAccounts(source.client, organization.id))
  const heldAt = performance.now()
  say(`Held: the organization "${organization.name}" answers 503 until it is moved or taken back.`)
  try {
    const rest = await freeze(deps, organization, heldAt)
    const stores = await copyFiles(source, target, rest, copied)
    const rows = await copyAll(deps, rest, stores)
    say(
      `Copied (accounts: ${rest.accountIds.length}, shares: ${copied.size}, rows: ${rows}). The organization now lives in the cell ${target.cell}.`,
    )
  } catch (error) {
    throw await giveUp(deps, organization, error)
  }
  say(`Paused for ${((performance.now() - heldAt) / 1000).toFixed(1)} seconds.`)
}

/** When this returns, every change that was ever answered with success is in the tables, and none will follow. */
async function freeze({ source, waitMs }: MoveDeps, organization: Organization, heldAt: number): Promise<Organization> {
  const { client } = source
  const until = heldAt + waitMs
  const unnoticedMs = heldAt + noticeMs - performance.now()
  if (unnoticedMs > 0) await new Promise((done) => setTimeout(done, unnoticedMs))
  for (;;) {
    await waitUntilQuiet(client, organization, until)
    const accounts = (await listTables(client, organization)).find(({ name }) => name === 'accounts')
    if (accounts) await freezeTable(client, accounts)
    await asService(client, () => holdAccounts(client, organization.id))
    const rest = { ...organization, accountIds: await listAccounts(client, organization.id) }
    for (const table of await listTables(client, rest)) await freezeTable(client, table)
    const busy = await asService(client, async () => {
      // With this commit the barrier is durable too: it must outlive a server that ends after the other cell has taken over.
      await client.query('update organization_moves set frozen_at = now() where organization_id = $1', [rest.id])
      await noteAddresses(client, rest)
      return listBusy(client, rest)
    })
    if (busy.length === 0) return rest
    // Something was begun before the last table was frozen. It can end only if it may write.
    await thaw(client)
  }
}

async function copyAll({ source, target }: MoveDeps, organization: Organization, stores: ReadonlyMap<string, string>) {
  const { moveId } = (await findMove(source.client, organization.id)) ?? {}
  const tables = await listTables(source.client, organization)
  const deps: CopyDeps = { source: source.client, target: target.client, organization, stores }
  let rows = 0
  await source.client.query('begin isolation level repeatable read read only; set local role patchbay_system')
  await target.client.query('begin')
  try {
    for (const table of await listFilled(source.client, tables))
      if (!auditTables.includes(table.name)) rows += await copyTable(deps, table)
    rows += await copyStoredContents(deps, tables, source.contents)
    rows += await copyJobs(deps)
    rows += await copyAudit(deps, tables, source.keyRing.systemKey('auditChain'))
    await withRole(target.client, () => noteArrival(target, source.cell, organization.id, moveId as string))
    await target.client.query('commit')
    return rows
  } catch (error) {
    await target.client.query('rollback').catch(() => {})
    throw error
  } finally {
    await source.client.query('rollback').catch(() => {})
  }
}

async function noteArrival({ client, cell }: Side, fromCell: string, organizationId: string, moveId: string) {
  // What told people to go elsewhere, if it lived here before, is no longer true.
  await settleMove(client, organizationId)
  await client.query(
    `insert into organization_arrivals (organization_id, move_id, from_cell) values ($1, $2, $3)
     on conflict (organization_id) do update set move_id = excluded.move_id, from_cell = excluded.from_cell, arrived_at = now()`,
    [organizationId, moveId, fromCell],
  )
  await recordAudit(queryableOf(client), noAccount(organizationId), {
    action: 'organization.moved',
    target: organizationId,
    details: { fromCell, toCell: cell },
  })
}

/** The error to be told. Only what is known not to have arrived is taken back. */
async function giveUp(deps: MoveDeps, organization: Organization, error: unknown): Promise<unknown> {
  const { source, target } = deps
  const again = 'Run the same command again to finish the move, or add --take-back to cancel it.'
  try {
    const { rows } = await asService(target.client, () =>
      target.client.query('select from organizations where id = $1', [organization.id]),
    )
    if (rows.length > 0)
      return new MoveError(
        `The organization is in the cell ${target.cell}, but ${source.cell} still holds a copy. Run the same command again to remove it.`,
        { cause: error },
      )
    await takeBack(deps, organization)
  } catch {
    return new MoveError(
      `The move was interrupted: ${(error as Error).message} The organization is held in ${source.cell}. ${again}`,
      { cause: error },
    )
  }
  return new MoveError(
    `${(error as Error).message} The organization stays in the cell ${source.cell} and works as before.`,
    {
      cause: error,
    },
  )
}

async function takeBack({ source, target }: MoveDeps, organization: Organization): Promise<void> {
  await removeCopiedFiles(source, target, organization)
  await thaw(source.client)
  const accountIds = await listAccounts(source.client, organization.id)
  await endHold(source.client, { ...organization, accountIds })
}

async function finishOrTell(deps: MoveDeps, organization: Organization): Promise<void> {
  await finish(deps, organization).catch((cause: Error) => {
    throw new MoveError(
      `The organization is in the cell ${deps.target.cell}, but ${deps.source.cell} still holds a copy: ${cause.message}. Run the same command again to remove it.`,
      { cause },
    )
  })
}

/** At the source: from now on whoever comes is sent on; then everything goes. */
async function finish({ source, target, say }: MoveDeps, organization: Organization): Promise<void> {
  const { client } = source
  await asService(client, () =>
    client.query(
      `update organization_moves set state = 'Moved', moved_at = coalesce(moved_at, now()) where organization_id = $1`,
      [organization.id],
    ),
  )
  await removeMovedFiles(source, target, organization)
  await eraseRows(client, organization, await listTables(client, organization))
  await thaw(client)
  await asService(client, () =>
    client.query('update organization_moves set erased_at = now() where organization_id = $1', [organization.id]),
  )
  say(`Erased at ${source.cell}, which now answers 421 for its keys and addresses, naming the cell ${target.cell}.`)
}
