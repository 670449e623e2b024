// After the hold, what was begun comes to its end: blocks that run are recorded and their runs handed back, mails are sent, tokens renewed, feeds
// read. Only then is the organization frozen, so that nothing is done whose outcome could not be written down.
import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { listActive, putOffWork } from './jobs.ts'
import { MoveError } from './move-error.ts'
import { asService } from './side.ts'
import { fillIn, type Organization } from './tables.ts'

const lookMs = 100
/** Processes look for held organizations twice a second, and remember keys for half a second. */
export const noticeMs = 1200

export async function waitUntilQuiet(client: pg.Client, organization: Organization, until: number): Promise<void> {
  for (;;) {
    const busy = await asService(client, async () => {
      await putOffWork(client, organization)
      return listBusy(client, organization)
    })
    if (busy.length === 0) return
    if (performance.now() > until) {
      throw new MoveError(
        `The organization still has work in progress: ${busy.join(', ')}. Try again later, or allow more time with --wait SECONDS.`,
      )
    }
    await wait(lookMs)
  }
}

/** In words. */
export async function listBusy(client: pg.Client, organization: Organization): Promise<string[]> {
  const jobs = await listActive(client, organization)
  const { rows } = await client.query<{ renews: boolean; feeds: boolean; tells: boolean }>(
    fillIn(
      `select
         exists (select from connection_tokens where account_id = any(:accounts) and lease_until > now()) as renews,
         exists (select from search_feed f cross join unnest(f.ids) as i (id)
           where f.kind = 'run' and exists (select from runs r where r.id = i.id and r.account_id = any(:accounts))
           or f.kind = 'webhook' and exists (select from webhook_requests w where w.id = i.id and w.account_id = any(:accounts))) as feeds,
         exists (select from events where account_id = any(:accounts) and not is_delivered) as tells`,
      organization,
    ),
  )
  const { renews, feeds, tells } = rows[0] ?? {}
  return [
    ...jobs,
    ...(renews ? ['token renewals'] : []),
    ...(feeds ? ['the search index'] : []),
    ...(tells ? ['events'] : []),
  ]
}
