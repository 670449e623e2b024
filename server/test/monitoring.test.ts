// What operators watch: figures of the right form, and rules and a dashboard that ask for figures which exist.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Database } from '../src/db/index.ts'
import { FaultLog } from '../src/fault-log.ts'
import { toHumanLine } from '../src/human-line.ts'
import { describeError } from '../src/log.ts'
import { describeSizes } from '../src/sizes.ts'
import { eventually } from './harness/eventually.ts'
import { readiness } from './harness/readiness.ts'
import { startService, type TestService } from './harness/service.ts'
import { deployWorkflow, runToEnd } from './harness/workflows.ts'

const folder = fileURLToPath(new URL('../../deploy/monitoring', import.meta.url))
const hasPromtool = spawnSync('promtool', ['--version']).status === 0

describe('metrics', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service[Symbol.asyncDispose]())
  const figures = async () => (await service.client(undefined).get('/metrics')).text
  const figureOf = (text: string, series: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.split(' ')[1] ?? Number.NaN,
    )

  it('tell what ran, how it ended and how long it waited', async () => {
    const works = await deployWorkflow(service.manager, ['return 1', 'return 2'])
    const fails = await deployWorkflow(service.manager, ['throw new Error("no")'])
    await runToEnd(service.manager, works.id)
    await runToEnd(service.manager, fails.id)
    const text = await eventually(async () => {
      const now = await figures()
      return figureOf(now, 'patchbay_workflows_failing') === 1 ? now : undefined
    })
    expect(figureOf(text, 'patchbay_runs_ended_total{status="Ready",run_by="API"}')).toBe(1)
    expect(figureOf(text, 'patchbay_runs_ended_total{status="Error",run_by="API"}')).toBe(1)
    expect(figureOf(text, 'patchbay_run_start_delay_seconds_count')).toBe(2)
    expect(figureOf(text, 'patchbay_run_start_delay_seconds_sum')).toBeLessThan(60)
    expect(figureOf(text, 'patchbay_block_duration_seconds_count{status="Ready"}')).toBe(2)
    expect(figureOf(text, 'patchbay_script_duration_seconds_count{outcome="threw"}')).toBe(1)
    expect(figureOf(text, 'patchbay_queue_length{queue="runs"}')).toBe(0)
    expect(figureOf(text, 'patchbay_database_waiting{pool="system"}')).toBe(0)
    expect(figureOf(text, 'patchbay_migrations_applied')).toBe(figureOf(text, 'patchbay_migrations_known'))
  })

  it('name no account, workflow or address', async () => {
    const labels = [...(await figures()).matchAll(/[{,]([a-z_]+)="/g)].map(([, name]) => name)
    const known = ['operation', 'status', 'run_by', 'outcome', 'part', 'pool', 'state', 'queue', 'role', 'node', 'le']
    const ofNode = ['kind', 'type', 'space', 'version', 'major', 'minor', 'patch']
    expect([...new Set(labels)].filter((name) => ![...known, ...ofNode].includes(name as string))).toEqual([])
  })

  it('are all there that the rules and the dashboard ask for', async () => {
    const text = await figures()
    const told = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name as string))
    const asked = ['patchbay.rules.yml', 'grafana-dashboard.json'].flatMap((file) =>
      [...readFileSync(join(folder, file), 'utf8').matchAll(/patchbay_[a-z0-9_]+/g)].map(([name]) =>
        name.replace(/_(bucket|count|sum)$/, ''),
      ),
    )
    expect(asked.length).toBeGreaterThan(40)
    expect([...new Set(asked)].filter((name) => !told.has(name))).toEqual([])
  })

  it.skipIf(!hasPromtool)('pass promtool check metrics, and the rules their tests', async () => {
    const checked = spawnSync('promtool', ['check', 'metrics'], { input: await figures(), encoding: 'utf8' })
    expect([checked.status, checked.stderr, checked.stdout]).toEqual([0, '', ''])
    const rules = ['test', 'rules', join(folder, 'patchbay.rules.test.yml')]
    const tested = spawnSync('promtool', rules, { encoding: 'utf8' })
    expect(tested.status, tested.stderr + tested.stdout).toBe(0)
  })
  if (!hasPromtool) console.log('promtool is not installed: the form of metrics and rules is not checked here.')
})

describe('every line of the log', () => {
  it('names its part', async () => {
    await using service = await startService()
    const { id } = await deployWorkflow(service.manager, ['return 1'])
    await runToEnd(service.manager, id)
    expect((await readiness(service.client(undefined))).status).toBe(200)
    const lines = service
      .logText()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))
    expect(lines.length).toBeGreaterThan(0)
    expect(lines.filter(({ part }) => part === undefined)).toEqual([])
  })
})

describe('sizes', () => {
  it('tell what takes the space, days together, and what bounds it', async () => {
    await using service = await startService({ role: 'api' })
    await using database = new Database({ connectionString: service.databaseUrl }, () => {})
    const lines = (await describeSizes(database)).split('\n')
    expect(lines[0]).toMatch(/Size +Rows, about +Table/)
    expect(lines.at(-1)).toMatch(/\d (kB|MB) +the whole database$/)
    const runs = lines.filter((line) => / runs /.test(line))
    expect(runs).toHaveLength(1)
    expect(runs[0]).toMatch(/PATCHBAY_RUN_RETENTION_DAYS.*, \d+ tables$/)
  })
})

describe('the log', () => {
  it('tells a fault once and then how often it happened', () => {
    const lines: Record<string, unknown>[] = []
    const counts: string[] = []
    const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
    using faults = new FaultLog(log, (part) => void counts.push(part))
    for (let no = 0; no < 5000; no++) faults.of('queue')(new Error(`connect ECONNREFUSED 127.0.0.1:${5000 + no}`))
    faults.of('mail')(new Error('no route'), { accountId: 'a', runId: 'r' })
    expect(lines).toMatchObject([{ part: 'queue' }, { part: 'mail', accountId: 'a', runId: 'r' }])
    faults.sumUp()
    expect(lines[2]).toMatchObject({ part: 'queue', times: 4999, msg: 'The same fault happened 4999 more times.' })
    expect([lines.length, counts.length]).toEqual([3, 5001])
    // What stopped is told anew when it begins again.
    faults.sumUp()
    faults.of('queue')(new Error('connect ECONNREFUSED 127.0.0.1:1'))
    expect(lines).toHaveLength(4)
  })

  it('spares the stacks of a database that is away, and keeps those of other faults', () => {
    const lines: { err: { message: string; stack?: string } }[] = []
    const options = { serializers: { err: describeError } }
    const log = pino(options, { write: (line: string) => void lines.push(JSON.parse(line)) })
    using faults = new FaultLog(log, () => {})
    const away = new Error('Connection terminated unexpectedly')
    const copied = ({ message, stack }: Error) => ({ message, stack, queue: 'runs' })
    // The queue reports copies of errors; each is known by what it says.
    for (const error of [away, new TypeError('a mistake')]) {
      faults.of('runs')(error)
      faults.of('queue')(copied(error))
    }
    faults.of('runs')(away)
    faults.sumUp()
    expect(lines.map(({ err }) => [err.message, err.stack !== undefined])).toEqual([
      ['Connection terminated unexpectedly', false],
      ['Connection terminated unexpectedly', false],
      ['a mistake', true],
      ['a mistake', true],
      ['Connection terminated unexpectedly', false],
    ])
  })

  it('has a line for people that nobody else can write', () => {
    const line = { level: 50, time: '2026-05-01T10:00:00.000Z', pid: 1, part: 'http', route: '/x\nERROR', status: 500 }
    const told = toHumanLine(JSON.stringify({ ...line, msg: 'answered', err: { code: 'E1', message: 'no' } }))
    expect(told).toBe('2026-05-01T10:00:00.000Z ERROR http: answered route="/x\\nERROR" status=500 (E1: no)\n')
    const why = { level: 50, time: line.time, part: 'readiness', reason: 'It is away.', msg: 'Not ready. It is away.' }
    expect(toHumanLine(JSON.stringify(why))).toBe('2026-05-01T10:00:00.000Z ERROR readiness: Not ready. It is away.\n')
  })
})
