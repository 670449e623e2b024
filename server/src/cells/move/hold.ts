// Holding an organization: its accounts count as not active, so that no process begins anything for them, and whoever asks is told to try again.
// Taking the hold back leaves everything as it was.
import type pg from 'pg'
import { callBackWork, putOffWork } from './jobs.ts'
import { asService } from './side.ts'
import { fillIn, type Organization } from './tables.ts'

export type Move = { moveId: string; state: 'Held' | 'Moved'; toCell: string; isErased: boolean }

export async function findMove(client: pg.Client, organizationId: string): Promise<Move | undefined> {
  const { rows } = await asService(client, () =>
    client.query<Move>(
      `select move_id as "moveId", state, to_cell as "toCell", erased_at is not null as "isErased"
       from organization_moves where organization_id = $1`,
      [organizationId],
    ),
  )
  return rows[0]
}

/** An organization that is held or being erased, other than this one. */
export async function findOtherMove(client: pg.Client, organizationId: string): Promise<string | undefined> {
  const { rows } = await asService(client, () =>
    client.query<{ id: string }>(
      'select organization_id as id from organization_moves where organization_id <> $1 and erased_at is null limit 1',
      [organizationId],
    ),
  )
  return rows[0]?.id
}

export async function beginHold(client: pg.Client, organization: Organization, move: { id: string; toCell: string }) {
  await asService(client, async () => {
    await client.query('delete from organization_moves where organization_id = $1 and settled_at is not null', [
      organization.id,
    ])
    await client.query(
      `insert into organization_moves (organization_id, move_id, state, to_cell) values ($1, $2, 'Held', $3)`,
      [organization.id, move.id, move.toCell],
    )
    await holdAccounts(client, organization.id)
    await noteAddresses(client, organization)
    await putOffWork(client, organization)
  })
}

/** Also those that were made by requests which had begun before the hold. */
export async function holdAccounts(client: pg.Client, organizationId: string): Promise<void> {
  await client.query(
    `update accounts set state_before_move = state, state = 'moving' where organization_id = $1 and state <> 'moving'`,
    [organizationId],
  )
}

/** How requests say that they are for the organization: what `watch/addresses.ts` reads from them. */
export async function noteAddresses(client: pg.Client, organization: Organization): Promise<void> {
  const mine = 'account_id = any(:accounts)'
  await client.query(
    fillIn(
      `insert into moved_addresses (address, organization_id)
       select address, :organization from (
         select 'key:' || consumer from api_keys where ${mine}
         union select 'webhook:' || workflow_id from webhooks where ${mine}
         union select 'share:' || id from shares where ${mine}
         union select 'token:' || encode(token_hash, 'hex') from account_links where ${mine}
         union select 'token:' || encode(token_hash, 'hex') from reconnect_links where ${mine}
         union select 'token:' || encode(token_hash, 'hex') from take_back_links where ${mine}
         union select 'token:' || encode(token_hash, 'hex') from approval_links where ${mine}
         union select 'token:' || encode(token_hash, 'hex') from resume_links where ${mine}
         union select 'token:' || encode(state_hash, 'hex') from oauth_states where ${mine}
         union select 'token:' || encode(id_hash, 'hex') from sessions where ${mine}
       ) as a (address) on conflict (address) do nothing`,
      organization,
    ),
  )
}

/** The tables must not be frozen any more: from here on everybody works on them again. */
export async function endHold(client: pg.Client, organization: Organization): Promise<void> {
  await asService(client, async () => {
    await callBackWork(client, organization)
    await client.query(
      `update accounts set state = state_before_move, state_before_move = null where organization_id = $1 and state = 'moving'`,
      [organization.id],
    )
    await settleMove(client, organization.id)
  })
}

/** In the transaction with which the organization works here again. What is known of it as moving or moved counts for a minute more, as being moved. */
export async function settleMove(client: pg.Client, organizationId: string): Promise<void> {
  await client.query(
    `update organization_moves set state = 'Held', settled_at = now(), erased_at = coalesce(erased_at, now()) where organization_id = $1`,
    [organizationId],
  )
}
