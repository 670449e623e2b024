// The proof of once: random workflows with bodies, results, logs, mails and vault values of random sizes. The target, the outbox and the vault
// count. Nothing is killed: every effect happens exactly once. A worker or a script process is killed: at most one more time, with the same key.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from '../harness/eventually.ts'
import { forEach } from '../harness/for-each.ts'
import { type HttpTarget, startHttpTarget, type TargetReply } from '../harness/http-target.ts'
import { type Program, startProgram } from '../harness/program.ts'
import { proofRandom, proofSize } from '../harness/proof-size.ts'
import type { Random } from '../harness/random.ts'
import { killProcess, listScriptProcesses } from '../harness/script-processes.ts'
import { startService, type TestService } from '../harness/service.ts'
import { deployWorkflow, endOf, startRun } from '../harness/workflows.ts'

const http = 'e31040e1-1997-54d0-bfa6-43f910dc7be6'
const runs = proofSize('ONCE_RUNS', { small: 24, large: 300 })
const kills = proofSize('ONCE_KILLS', { small: 3, large: 40 })
const runsPerKill = 4
const random = proofRandom()
const MIB = 1024 * 1024

const kinds = ['text', 'json', 'binary'] as const
const responseTypes = { text: 'Text', json: 'Json', binary: 'Binary' }
const contentTypes = { text: 'text/plain', json: 'application/json', binary: 'application/octet-stream' }

let api: TestService
let target: HttpTarget
let registered: string
/** The keys that came with each write, by the name of the write. */
const sent = new Map<string, string[]>()

beforeAll(async () => {
  api = await startService({ role: 'api', env: { PATCHBAY_LOG_LEVEL: 'fatal' } })
  target = await startHttpTarget(({ method, url, headers }) => {
    const [, name = '', kind = '', size = ''] = url.split('/')
    if (method !== 'GET') sent.set(name, [...(sent.get(name) ?? []), String(headers['idempotency-key'])])
    // Bodies of hundreds of requests would fill the memory of the test.
    target.received.length = 0
    return answerOf(kind as keyof typeof contentTypes, Number(size))
  })
  const credentialsJson = JSON.stringify({ baseUrl: target.origin, authType: 'none' })
  registered = (await api.manager.post('/api/RegApplication', { applicationId: http, credentialsJson })).body
})
afterAll(async () => {
  await target[Symbol.asyncDispose]()
  await api[Symbol.asyncDispose]()
})

const filling = Buffer.alloc(6 * MIB, 'x')

function answerOf(kind: keyof typeof contentTypes, size: number): TargetReply {
  const headers = { 'content-type': contentTypes[kind] }
  if (kind !== 'json') return { headers, body: filling.subarray(0, size) }
  return {
    headers,
    body: size < 2 ? '7' : Buffer.concat([Buffer.from('"'), filling.subarray(0, size - 2), Buffer.from('"')]),
  }
}

/** Small ones as often as large ones. */
const sizeUpTo = (from: Random, max: number) => Math.floor(max ** from.next())

type Effect = { kind: 'sent' | 'mailed' | 'stored'; name: string }
type Step = (from: Random, name: string, effects: Effect[]) => string

/** In scripts `no` is the number of the run, so that every effect has a name of its own. */
const steps: readonly Step[] = [
  (from, name, effects) => {
    effects.push({ kind: 'sent', name })
    const kind = from.pick(kinds)
    const verb = from.pick(['POST', 'PUT', 'PATCH'])
    return `await api.send('http', { verb: '${verb}', requestUrl: '${name}-' + no + '/${kind}/${sizeUpTo(from, 6 * MIB)}',
      data: { text: 'x'.repeat(${sizeUpTo(from, MIB)}) }, responseType: '${responseTypes[kind]}' })`
  },
  (from) => {
    const kind = from.pick(kinds)
    return `await api.send('http', { requestUrl: 'read/${kind}/${sizeUpTo(from, 6 * MIB)}', responseType: '${responseTypes[kind]}' })`
  },
  (from, name, effects) => {
    effects.push({ kind: 'stored', name })
    return `myVault.set('${name}-' + no, { times: (myVault.get('${name}-' + no)?.times ?? 0) + 1, text: 'x'.repeat(${sizeUpTo(from, 60_000)}) })`
  },
  (from, name, effects) => {
    effects.push({ kind: 'mailed', name })
    const attachment = from.chance(0.5) ? `, attachment: 'QUFB'.repeat(${sizeUpTo(from, 200_000)})` : ''
    return `await email.send({ to: ['someone@example.com'], subject: '${name}-' + no, body: 'x'.repeat(${sizeUpTo(from, 300_000)})${attachment} })`
  },
  (from) =>
    `for (let line = 0; line < ${1 + from.below(20)}; line++) console.log('x'.repeat(${sizeUpTo(from, 100_000)}))`,
  (from) => `session.vars.text = 'x'.repeat(${sizeUpTo(from, 500_000)})`,
  (from) => `await sleep(${from.below(30)})`,
]

type Sample = { id: string; effects: Effect[] }

async function deployRandom(no: number): Promise<Sample> {
  const effects: Effect[] = []
  const blocks = Array.from({ length: 1 + random.below(4) }, (_, block) => {
    const lines = Array.from({ length: 1 + random.below(5) }, (_step, step) =>
      random.pick(steps)(random, `w${no}b${block}s${step}`, effects),
    )
    const result = `'x'.repeat(${sizeUpTo(random, 4 * MIB)})`
    const script = `const no = run.runNumber\n${lines.join('\n')}\nreturn ${random.chance(0.5) ? result : `[${result}, 1]`}`
    return { script, after: block === 0 ? [] : [1 + random.below(block)] }
  })
  const more = {
    applications: { HTTP: registered },
    replayRuns: random.pick([0, 1, 20]),
    recordCallBodies: random.chance(0.3),
  }
  const { id } = await deployWorkflow(api.manager, blocks, { ...more, name: `Random ${no}` })
  return { id, effects }
}

async function startWorker(): Promise<Program> {
  const worker = startProgram('main', ['worker'], {
    PATCHBAY_DATABASE_URL: api.databaseUrl,
    PATCHBAY_DATA_DIR: api.dataDir,
    PATCHBAY_EGRESS_ALLOW: '127.0.0.0/8',
    PATCHBAY_LOG_LEVEL: 'fatal',
  })
  await worker.saw(/worker is ready/)
  return worker
}

/** How many times each effect of a run has happened; the keys of a write that was sent with more than one. */
async function count(workflow: Sample, number: number): Promise<{ name: string; times: number; keys: number }[]> {
  return Promise.all(
    workflow.effects.map(async ({ kind, name: prefix }) => {
      const name = `${prefix}-${number}`
      if (kind === 'sent') {
        const keys = sent.get(name) ?? []
        return { name, times: keys.length, keys: new Set(keys).size }
      }
      if (kind === 'stored') {
        const { body } = await api.manager.get(`/api/MyVaultGet/${workflow.id}/${name}`)
        return { name, times: body?.times ?? 0, keys: 1 }
      }
      const mails = await api.manager.post('/api/GetOutbox', { page: 0, size: 1000 })
      const times = mails.body.items.filter((mail: { subject: string }) => mail.subject === name).length
      return { name, times, keys: 1 }
    }),
  )
}

it('every effect happens exactly once when nothing is killed', { timeout: 3_600_000 }, async () => {
  await using _worker = await startWorker()
  const workflows = await Promise.all(Array.from({ length: Math.ceil(runs / 3) }, (_, no) => deployRandom(no)))
  const started = Array.from({ length: runs }, (_, no) => workflows[no % workflows.length] as Sample)
  const wrong: unknown[] = []
  let effects = 0
  await forEach(started.values(), async (workflow) => {
    const number = await startRun(api.manager, workflow.id)
    const run = await endOf(api.manager, workflow.id, number)
    if (run.status !== 'Ready') wrong.push([run.status, run.errorMessage])
    const counted = await count(workflow, number)
    effects += counted.length
    wrong.push(...counted.filter(({ times, keys }) => times !== 1 || keys !== 1))
  })
  const [again] = await api.asOwner('select count(*)::int as runs from runs where attempt > 0')
  console.log(`${runs} runs, ${effects} effects, not exactly once: ${wrong.length}, run again: ${again?.['runs']}`)
  expect(wrong).toEqual([])
  expect(again).toEqual({ runs: 0 })
})

it('an effect happens at most once more, with the same key, when something is killed', {
  timeout: 3_600_000,
}, async () => {
  let worker = await startWorker()
  const killed = { workers: 0, scripts: 0 }
  const counts = { runs: 0, failed: 0, effects: 0, twice: 0, wrong: [] as unknown[] }
  const workflows = await Promise.all(Array.from({ length: 6 }, (_, no) => deployRandom(1000 + no)))
  for (let round = 0; round < kills; round++) {
    const chosen = Array.from({ length: runsPerKill }, () => random.pick(workflows))
    const numbers = await Promise.all(chosen.map(({ id }) => startRun(api.manager, id)))
    const isOpen = async () => (await api.asOwner('select from runs where ended_at is null')).length > 0
    // At any moment of the round: after so many of the writes that it will make, or at its end if it makes fewer.
    const until = sent.size + random.below(2 * runsPerKill)
    await eventually(async () => sent.size >= until || !(await isOpen()))
    const scripts = listScriptProcesses([worker.pid])
    const killsWorker = random.chance(0.5) || scripts.length === 0
    if (killsWorker) {
      worker.kill('SIGKILL')
      await worker.ended
      killed.workers++
      // As if so much time had passed since its last sign of life.
      await api.asOwner(
        `update jobs set heartbeat_at = now() - interval '1 hour' where queue = 'runs' and state = 'active'`,
      )
      worker = await startWorker()
    } else if (killProcess(random.pick(scripts))) killed.scripts++
    for (const [index, workflow] of chosen.entries()) {
      const number = numbers[index] as number
      const run = await endOf(api.manager, workflow.id, number)
      counts.runs++
      const isReady = run.status === 'Ready'
      if (!isReady) counts.failed++
      if (!isReady && (killsWorker || !run.errorMessage.includes('ended unexpectedly')))
        counts.wrong.push(run.errorMessage)
      const counted = await count(workflow, number)
      counts.effects += counted.length
      counts.twice += counted.filter(({ times }) => times === 2).length
      const fits = ({ times, keys }: { times: number; keys: number }) => times <= (killsWorker ? 2 : 1) && keys <= 1
      counts.wrong.push(...counted.filter((effect) => !fits(effect) || (isReady && effect.times === 0)))
    }
  }
  worker.kill('SIGTERM')
  await worker.ended
  console.log(`killed ${JSON.stringify(killed)}, counted ${JSON.stringify(counts)}`)
  expect(counts.wrong).toEqual([])
})
