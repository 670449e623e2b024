// Customised workflows follow their template while workers, an API process and the database are killed and customers keep editing: no
// edit is lost, no workflow is half changed, and none is changed twice.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Answer, Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { forEach } from '../harness/for-each.ts'
import { type OwnDatabase, startOwnDatabase } from '../harness/own-database.ts'
import { type Program, startProgram } from '../harness/program.ts'
import { proofRandom, proofSize } from '../harness/proof-size.ts'
import { startService, type TestService } from '../harness/service.ts'
import { createTemplate, newBlock } from '../harness/templates.ts'
import { startCrew } from '../harness/worker-crew.ts'

const copies = proofSize('UPGRADED_WORKFLOWS', { small: 20, large: 1000 })
const killsWanted = proofSize('UPGRADE_KILLS', { small: 4, large: 30 })
const withinMs = proofSize('UPGRADE_MS', { small: 300_000, large: 1_200_000 })
const order = ['worker', 'database', 'worker', 'api'] as const

let database: OwnDatabase
let service: TestService
let client: Client
beforeAll(async () => {
  database = await startOwnDatabase()
  service = await startService({
    role: 'api',
    env: { PATCHBAY_LOG_LEVEL: 'fatal', PATCHBAY_RATE_LIMIT_PER_SECOND: '100000' },
    postgres: database.postgres,
  })
  client = service.manager
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const script = (first: string, last: string) => [first, 'const kept = 1', 'const also = 2', last].join('\n')

/** While the database recovers it is said so; everything else must be right the first time. */
async function patiently(ask: () => Promise<Answer>): Promise<Answer> {
  return eventually(async () => {
    const answer = await ask()
    if (answer.status === 503) return undefined
    expect(answer.status, answer.text).toBe(200)
    return answer
  })
}

/** An API process of its own, started again when it is killed. */
async function startApi() {
  let program: Program
  let caller: Client
  const start = async () => {
    program = startProgram('main', ['api'], {
      PATCHBAY_PORT: '0',
      PATCHBAY_DATABASE_URL: service.databaseUrl,
      PATCHBAY_DATA_DIR: service.dataDir,
      PATCHBAY_LOG_LEVEL: 'fatal',
    })
    const [, address] = await program.saw(/ready at (\S+)/)
    caller = new Client(address as string, service.firstAccount)
  }
  await start()
  return {
    caller: () => caller,
    async killAndStart() {
      program.kill('SIGKILL')
      await program.ended
      await start()
    },
    async [Symbol.asyncDispose]() {
      program.kill('SIGKILL')
      await program.ended
    },
  }
}

const stateOf = (id: string, state: string) =>
  eventually(async () => {
    const upgrade = (await patiently(() => client.get(`/api/TemplateUpgrade/${id}`))).body
    return upgrade.state === state ? upgrade : undefined
  }, withinMs)

it(
  'an upgrade and its roll back survive kill -9 of workers, an API process and the database with every edit kept',
  async () => {
    const random = proofRandom()
    const template = createTemplate(client)
    const block = newBlock(script('let own = 0', 'return own'))
    await template.publish('1', { chain: [block] })
    const ids: string[] = []
    await forEach(Array.from({ length: copies }).keys(), async (no) => {
      const chain = [{ uniqueBlockId: block.uniqueBlockId, script: script(`let own = ${no}`, 'return own') }]
      const body = { workflowTemplateId: template.id, name: `Customer ${no}`, chain }
      ids[no] = (await patiently(() => client.post('/api/Workflow', body))).body
    })
    await template.publish('2', { chain: [{ ...block, script: script('let own = 0', 'return own + 1') }] })
    await using crew = await startCrew(service, 2)
    await using api = await startApi()
    const killed = { worker: 0, api: 0, database: 0 }
    const kills = {
      worker: () => crew.killOne(random),
      api: () => api.killAndStart(),
      database: () => database.kill(random),
    }
    const kill = async (kind: keyof typeof kills) => {
      await kills[kind]()
      killed[kind] += 1
    }

    const start = { workflowTemplateId: template.id, waveMinutes: 0, waveSize: Math.ceil(copies / 20), watchRuns: 0 }
    const { upgradeId } = (await patiently(() => client.post('/api/TemplateUpgrade', start))).body
    // Each edit goes to whatever revision is the newest. One that was answered must be there to the end; of one whose API process or
    // database died meanwhile nothing was promised, so both names are right.
    const edited = new Map<string, { name: string; isPromised: boolean }>()
    let isOver = false
    const editing = (async () => {
      for (const id of ids.filter(() => random.below(3) === 0)) {
        if (isOver) return
        const name = `Edited ${id}`
        edited.set(id, { name, isPromised: false })
        const answer = await api
          .caller()
          .post(`/api/Workflow/${id}`, { name })
          .catch(() => undefined)
        if (answer?.status === 200) edited.set(id, { name, isPromised: true })
        await new Promise((done) => setTimeout(done, random.below(50)))
      }
    })()
    for (let no = 0; no < killsWanted; no++) await kill(order[no % order.length] as keyof typeof kills)
    const ended = await stateOf(upgradeId, 'Completed')
    isOver = true
    await editing
    expect(ended.counts).toMatchObject({ pending: 0, upgraded: copies })
    await checkEach('return own + 1', 'Upgraded')

    await patiently(() => client.post(`/api/TemplateUpgradeAction/${upgradeId}`, { action: 'rollBack' }))
    await kill('worker')
    await kill('database')
    const back = await stateOf(upgradeId, 'RolledBack')
    expect(back.counts.rolledBack + back.counts.upgraded).toBe(copies)
    const wentBack = new Set<string>(
      back.items.flatMap((item: { outcome: string; workflowId: string }) =>
        item.outcome === 'rolledBack' ? [item.workflowId] : [],
      ),
    )
    // Those that were edited after their upgrade keep both.
    for (const id of ids) if (!wentBack.has(id)) expect(edited.has(id)).toBe(true)
    await checkEach('return own', 'RolledBack', wentBack)
    const promised = [...edited.values()].filter(({ isPromised }) => isPromised).length
    console.log(
      `${copies} workflows, ${promised} edited meanwhile, killed ${JSON.stringify(killed)}, ${wentBack.size} went back`,
    )

    async function checkEach(last: string, reason: string, only: ReadonlySet<string> = new Set(ids)) {
      await forEach(ids.entries(), async ([no, id]) => {
        if (!only.has(id)) return
        const workflow = (await patiently(() => client.get(`/api/Workflow/${id}`))).body
        expect(workflow.chain[0].script).toBe(script(`let own = ${no}`, last))
        const edit = edited.get(id)
        const names = edit?.isPromised ? [edit.name] : [`Customer ${no}`, edit?.name]
        expect(names).toContain(workflow.name)
        expect(workflow.templateVersion).toBe(reason === 'Upgraded' ? '2' : '1')
        const revisions = await patiently(() => client.post(`/api/WorkflowRevisions/${id}`, { size: 100 }))
        const reasons = revisions.body.items.map((revision: { reason: string }) => revision.reason)
        expect(reasons.filter((one: string) => one === reason)).toHaveLength(1)
      })
      const audited = await service.asOwner(
        'select target, count(*)::int as count from audit_log where action = $1 group by 1',
        [reason === 'Upgraded' ? 'workflow.upgraded' : 'workflow.rolledBack'],
      )
      expect(audited.filter(({ count }) => count !== 1)).toEqual([])
      expect(audited).toHaveLength(only.size)
    }
  },
  2 * withinMs,
)
