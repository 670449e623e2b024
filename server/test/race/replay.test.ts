// Random runs of random scripts, run again against their own revision: what is deterministic gives the same, chance is said to differ,
// and nobody outside hears of it.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { forEach } from '../harness/for-each.ts'
import { type HttpTarget, startHttpTarget } from '../harness/http-target.ts'
import { proofRandom, proofSize } from '../harness/proof-size.ts'
import type { Random } from '../harness/random.ts'
import { replayToEnd } from '../harness/replays.ts'
import { startService, type TestService } from '../harness/service.ts'
import { enableWebhook } from '../harness/webhooks.ts'
import { deployWorkflow, endOf, runToEnd } from '../harness/workflows.ts'

const http = 'e31040e1-1997-54d0-bfa6-43f910dc7be6'
const runsOfWorkflow = 10

let service: TestService
let target: HttpTarget
let registered: string
beforeAll(async () => {
  service = await startService()
  let answers = 0
  // Nothing is answered twice the same way, so an answer that came from anywhere but the recording would show.
  target = await startHttpTarget(({ method, url }) =>
    url.includes('refused') ? { status: 500, body: `no ${++answers}` } : { json: { method, no: ++answers } },
  )
  const credentialsJson = JSON.stringify({ baseUrl: target.origin, authType: 'none' })
  registered = (await service.manager.post('/api/RegApplication', { applicationId: http, credentialsJson })).body
})
afterAll(async () => {
  await target[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

const steps: readonly ((random: Random) => string)[] = [
  (random) => `out.push(await api.get('http/items/${random.below(3)}'))`,
  (random) => `out.push(await api.post('http/orders', { amount: ${random.below(2)}, before: out.length }))`,
  () => `out.push(...(await Promise.all([1, 2, 3].map((n) => api.get('http/both/' + (n % 2))))))`,
  () => `out.push(await api.get('http/refused').catch((error) => [error.message, error.response.statusCode]))`,
  (random) =>
    `out.push((await api.send('http', { verb: 'PUT', requestUrl: 'x/${random.below(2)}', data: out.length }, true)).statusCode)`,
  (random) => `out.push(myVault.get('k${random.below(3)}'), myVault.containsGlobal('g${random.below(2)}'))`,
  (random) => `out.push(myVault.set('k${random.below(3)}', [out.length, run.runNumber]))`,
  (random) =>
    `out.push(myVault.setGlobal('g${random.below(2)}', out.length), myVault.getGlobal('g${random.below(2)}'))`,
  (random) => `out.push(myVault.remove('k${random.below(3)}'))`,
  (random) => `myVault.setOnComplete('k${random.below(3)}', out.length)`,
  () => `session.vars.count = (session.vars.count ?? 0) + 1; out.push(session.vars)`,
  () => 'out.push(webhook && webhook.body, dateLastRun, Datasource.length, run.idempotencyKey)',
  (random) => `{ const start = Date.now(); await sleep(${random.below(5)}); out.push(Date.now() - start >= 0) }`,
  () => `out.push(new Date().toISOString().slice(0, 7), new Date().getUTCFullYear())`,
  () => `out.push(await Promise.race([sleep(2000).then(() => 'late'), sleep(1).then(() => 'early')]))`,
  () => `await email.send({ to: ['someone@example.com'], subject: 'x', body: String(out.length) })`,
  (random) => `console.log('line', out.length, ${random.below(9)})`,
  (random) => `if (run.runNumber % 5 === ${random.below(5)}) throw new Error('as it happens ' + out.length)`,
]

/** What runs at the same time must not meet in the vault: who comes first there is chance. */
function randomScript(random: Random, place: string): string {
  const lines = Array.from({ length: 1 + random.below(6) }, () => random.pick(steps)(random))
  return `const out = []\n${lines.join('\n').replaceAll(/'([kg])(?=\d)/g, `'$1${place}-`)}\nreturn out`
}

/** Everything that a replay must leave as it is. Mails about failed runs are not of scripts and may come late. */
async function traces(): Promise<unknown> {
  return service.asOwner(`
    select (select md5(string_agg(v::text, ',' order by v::text)) from vault_entries v) as vault,
      (select count(*) from mails where 'someone@example.com' = any(recipients)) as mails, (select count(*) from runs) as runs, (select count(*) from run_writes) as writes,
      (select count(*) from run_blocks) as blocks, (select md5(string_agg(w::text, ',' order by w.id)) from workflows w) as workflows`)
}

/** Every call that leaves the service is logged, wherever it goes. */
const callsOut = () => service.logText().split('A target was called.').length - 1

it('random runs give the same again, and nobody outside hears of it', async () => {
  const random = proofRandom()
  const total = proofSize('REPLAYS', { small: 36, large: 1000 })
  const workflows = await Promise.all(
    Array.from({ length: Math.ceil(total / runsOfWorkflow) }, async (_, index) => {
      const isRandom = index % 6 === 5
      // Blocks in a row share entries of the vault; those of a tree may run side by side.
      const isRow = index % 2 === 0
      const scripts = Array.from({ length: 1 + random.below(4) }, (_block, no) =>
        randomScript(random, isRow ? `${index}` : `${index}-${no}`),
      )
      const first = isRandom ? `const chance = Math.random(); return [chance]` : (scripts[0] as string)
      const blocks = [first, ...scripts.slice(1)].map((script, no) => ({
        script,
        after: no === 0 ? [] : [isRow ? no : 1 + random.below(no)],
      }))
      return { isRandom, ...(await deployWorkflow(service.manager, blocks, { applications: { HTTP: registered } })) }
    }),
  )
  await forEach(workflows.values(), async ({ id }) => {
    for (let run = 0; run < runsOfWorkflow - 2; run++) await runToEnd(service.manager, id)
    const webhook = await enableWebhook(service.manager, id, { skipProcessingAfterErrors: 1 })
    await webhook.send({ no: 1 })
    await endOf(service.manager, id, runsOfWorkflow - 1)
    await webhook.send({ no: 2 })
    await endOf(service.manager, id, runsOfWorkflow)
  })
  const before = await traces()
  const calledBefore = callsOut()
  expect(calledBefore).toBeGreaterThan(0)
  target.received.length = 0
  const counts = { same: 0, different: 0, failed: 0, notReplayable: 0 }
  await forEach(workflows.values(), async ({ id, isRandom }) => {
    const answer = await replayToEnd(service.manager, id, { lastRuns: runsOfWorkflow })
    const outcomes = answer.runs.map(({ outcome }: { outcome: keyof typeof counts }) => outcome)
    for (const outcome of outcomes as (keyof typeof counts)[]) counts[outcome]++
    const wrong = answer.runs.filter(
      ({ outcome }: { outcome: string }) => outcome !== (isRandom ? 'different' : 'same'),
    )
    expect(wrong, JSON.stringify(wrong[0])).toEqual([])
    expect(outcomes).toHaveLength(runsOfWorkflow)
  })
  console.log(`${JSON.stringify(counts)}, ${target.received.length} outbound requests`)
  expect(target.received).toEqual([])
  expect(callsOut()).toBe(calledBefore)
  expect(await traces()).toEqual(before)
}, 3_600_000)
