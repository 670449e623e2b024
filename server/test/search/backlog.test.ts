import { describe, expect, it } from 'vitest'
import { eventually } from '../harness/eventually.ts'
import { startService, type TestService } from '../harness/service.ts'
import { enableWebhook, leftQueue } from '../harness/webhooks.ts'
import { deployWorkflow, endOf, startRun } from '../harness/workflows.ts'

type Item = { where: string; runNumber: number | null }

const search = (service: TestService, searchTerm: string, more: object = {}) =>
  service.manager.post('/api/SearchRuns', { searchTerm, page: 0, size: 50, ...more })

function found(service: TestService, searchTerm: string): Promise<Item[]> {
  return eventually(async () => {
    const { items } = (await search(service, searchTerm)).body
    return items.length > 0 ? items : undefined
  })
}

describe('SearchRuns after an upgrade from a version without an index', () => {
  it('finds runs and requests from before, each once, as soon as they are indexed in the background', async () => {
    await using api = await startService({ role: 'api' })
    const { id } = await deployWorkflow(api.manager, ['return { order: "EARLY-" + run.runNumber }'])
    const webhook = await enableWebhook(api.manager, id)
    const runs = 205
    {
      await using _worker = await api.startAnother({}, 'worker')
      const numbers = await Promise.all(Array.from({ length: runs }, () => startRun(api.manager, id)))
      for (const number of numbers) await endOf(api.manager, id, number)
      const { body } = await webhook.send({ parcel: 'EARLY-PARCEL' })
      await leftQueue(api.manager, id, body.webhookId)
    }
    // As the migrations of such an upgrade leave it.
    await api.asOwner('delete from search_segments; delete from search_feed')
    await api.asOwner("update migrations set applied_at = now() where name = '0101_search'")
    await api.asOwner("insert into search_backlog (kind) values ('run'), ('webhook') on conflict do nothing")
    await api.asOwner('update search_backlog set since = null, reached = null')
    expect((await search(api, 'EARLY')).body.items).toEqual([])

    await using _worker = await api.startAnother({}, 'worker')
    const parcels = await found(api, 'PARCEL')
    expect(parcels.filter(({ where }) => where === 'webhook')).toHaveLength(1)
    await eventually(async () => (await api.asOwner('select from search_backlog')).length === 0)
    await eventually(async () => (await api.asOwner('select from search_feed')).length === 0)
    for (const number of [1, 100, runs]) {
      const { items } = (await search(api, `EARLY-${number}`, { in: ['result'] })).body
      expect(items.map(({ runNumber }: Item) => runNumber)).toEqual([number])
    }
  })
})
