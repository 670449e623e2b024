// Customised workflows follow their template while workers are killed and customers keep editing: no edit is lost, no workflow is half
// changed, and none is changed twice.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { proofRandom, proofSize } from '../harness/proof-size.ts'
import { startService, type TestService } from '../harness/service.ts'
import { createTemplate, newBlock } from '../harness/templates.ts'
import { actOn, startUpgrade, upgradeIn } from '../harness/upgrades.ts'
import { startCrew } from '../harness/worker-crew.ts'

const copies = proofSize('UPGRADED_WORKFLOWS', { small: 40, large: 1000 })
const killsWanted = proofSize('UPGRADE_KILLS', { small: 3, large: 30 })

let service: TestService
let client: Client
beforeAll(async () => {
  service = await startService({ role: 'api' })
  client = service.manager
})
afterAll(() => service[Symbol.asyncDispose]())

const script = (first: string, last: string) => [first, 'const kept = 1', 'const also = 2', last].join('\n')

it(
  'an upgrade and its roll back survive kill -9 of workers with every edit kept',
  async () => {
    const random = proofRandom()
    const template = createTemplate(client)
    const block = newBlock(script('let own = 0', 'return own'))
    await template.publish('1', { chain: [block] })
    const ids: string[] = []
    for (let no = 0; no < copies; no++) {
      const chain = [{ uniqueBlockId: block.uniqueBlockId, script: script(`let own = ${no}`, 'return own') }]
      const made = await client.post('/api/Workflow', {
        workflowTemplateId: template.id,
        name: `Customer ${no}`,
        chain,
      })
      ids.push(made.body)
    }
    await template.publish('2', { chain: [{ ...block, script: script('let own = 0', 'return own + 1') }] })
    await using crew = await startCrew(service, 2)
    const upgradeId = await startUpgrade(client, template.id, { waveSize: Math.ceil(copies / 20), watchRuns: 0 })

    // Each edit goes to whatever revision is the newest; its line must be there to the end.
    const edited = new Map<string, string>()
    const editing = (async () => {
      for (const id of ids.filter(() => random.below(4) === 0)) {
        const name = `Edited ${id}`
        const answer = await client.post(`/api/Workflow/${id}`, { name })
        if (answer.status === 200) edited.set(id, name)
      }
    })()
    for (let kill = 0; kill < killsWanted; kill++) await crew.killOne(random)
    await editing
    const ended = await upgradeIn(client, upgradeId, 'Completed', 240_000)
    expect(ended.counts).toMatchObject({ pending: 0, upgraded: copies })

    await checkEach('return own + 1', 'Upgraded', 1)
    await actOn(client, upgradeId, 'rollBack')
    await crew.killOne(random)
    const back = await upgradeIn(client, upgradeId, 'RolledBack', 240_000)
    expect(back.counts.rolledBack + back.counts.upgraded).toBe(copies)
    const wentBack = new Set(
      back.items.flatMap((item: { outcome: string; workflowId: string }) =>
        item.outcome === 'rolledBack' ? [item.workflowId] : [],
      ),
    )
    // Those that were edited after their upgrade keep both.
    for (const id of ids) if (!wentBack.has(id)) expect(edited.has(id)).toBe(true)
    await checkEach('return own', 'RolledBack', 1, wentBack)
    console.log(
      `${copies} workflows, ${edited.size} edited meanwhile, ${killsWanted + 1} kills, ${wentBack.size} went back`,
    )

    async function checkEach(
      last: string,
      reason: string,
      times: number,
      only: Pick<Set<unknown>, 'has'> = new Set(ids),
    ) {
      for (const [no, id] of ids.entries()) {
        if (!only.has(id)) continue
        const workflow = (await client.get(`/api/Workflow/${id}`)).body
        expect(workflow.chain[0].script).toBe(script(`let own = ${no}`, last))
        expect(workflow.name).toBe(edited.get(id) ?? `Customer ${no}`)
        expect(workflow.templateVersion).toBe(reason === 'Upgraded' ? '2' : '1')
        const revisions = (await client.post(`/api/WorkflowRevisions/${id}`, { size: 100 })).body.items
        expect(revisions.filter((revision: { reason: string }) => revision.reason === reason)).toHaveLength(times)
      }
      const audited = await service.asOwner(
        'select target, count(*)::int as count from audit_log where action = $1 group by 1',
        [reason === 'Upgraded' ? 'workflow.upgraded' : 'workflow.rolledBack'],
      )
      expect(audited.filter(({ count }) => count !== times)).toEqual([])
    }
  },
  proofSize('UPGRADE_MS', { small: 300_000, large: 3_600_000 }),
)
