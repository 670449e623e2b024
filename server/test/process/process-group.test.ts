// PATCHBAY_PROCESSES: one command, several processes behind one port.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { type Program, programFile, startProgram } from '../harness/program.ts'
import { readiness } from '../harness/readiness.ts'
import { deployWorkflow, endOf, startRun } from '../harness/workflows.ts'

const directory = mkdtempSync(join(tmpdir(), 'patchbay-group-'))
const dataDir = join(directory, 'data')
const env = { PATCHBAY_DATA_DIR: dataDir, PATCHBAY_PORT: '0', PATCHBAY_LOG_LEVEL: 'error' }
let group: Program
let client: Client

beforeAll(async () => {
  group = startProgram('main', [], { ...env, PATCHBAY_PROCESSES: '2', PATCHBAY_DRAIN_SECONDS: '29' })
  const [, baseUrl] = await group.saw(/Patchbay is ready at (\S+) \(2 processes/)
  client = new Client(baseUrl as string, JSON.parse(readFileSync(join(dataDir, 'first-account.json'), 'utf8')))
})
afterAll(async () => {
  await group[Symbol.asyncDispose]()
  rmSync(directory, { recursive: true, force: true })
})

/** The processes that serve, by their parent. */
const members = () =>
  execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().match(/^(\d+)\s+(\d+)\s+(.*)$/))
    .flatMap((found) =>
      found && Number(found[2]) === group.pid && found[3]?.includes(programFile('main')) ? [Number(found[1])] : [],
    )

it('serves and works with both, and makes one first account', async () => {
  expect(members()).toHaveLength(2)
  expect(group.output().match(/First account/g)).toHaveLength(1)
  const { id } = await deployWorkflow(client, ['return run.runNumber'])
  const numbers = await Promise.all(Array.from({ length: 20 }, () => startRun(client, id)))
  expect(new Set(numbers).size).toBe(20)
  for (const number of numbers) expect((await endOf(client, id, number)).status).toBe('Ready')
})

it('gives the sums of all processes, whichever is asked', async () => {
  const count = async () => {
    const { text } = await client.get('/metrics')
    return Number(text.match(/patchbay_http_answers_total\{operation="GET \/livez",status="200"\} (\d+)/)?.[1] ?? 0)
  }
  const before = await count()
  for (let n = 0; n < 10; n++) await fetch(`${client.baseUrl}/livez`, { headers: { Connection: 'close' } })
  for (let n = 0; n < 4; n++) expect(await count()).toBe(before + 10)
})

it('starts another in the place of one that dies, and goes on meanwhile', async () => {
  const before = members()
  process.kill(before[0] as number, 'SIGKILL')
  await group.saw(/ended \(SIGKILL\)\. Starting another/)
  expect((await readiness(client)).status).toBe(200)
  await eventually(() => members().length === 2 && !members().includes(before[0] as number))
})

it('stops everything on one signal, the database included, and kills nobody who still serves', async () => {
  group.kill('SIGTERM')
  expect(await group.ended).toBe(0)
  expect(group.output()).not.toContain('did not stop in time')
  expect(group.output()).toMatch(/Stopping\.\n[\s\S]*Stopped\.\n$/)
  const left = execFileSync('ps', ['-eo', 'args='], { encoding: 'utf8' }).split('\n')
  expect(left.filter((line) => line.includes(dataDir))).toEqual([])
})

it('what cannot start ends the group with its sentence', async () => {
  const { host, port } = inject('postgres')
  await using wrong = startProgram('main', [], {
    ...env,
    PATCHBAY_PROCESSES: '2',
    PATCHBAY_DATABASE_URL: `postgres://postgres@localhost:${port}/nowhere?host=${encodeURIComponent(host)}`,
  })
  expect(await wrong.ended).toBe(1)
  expect(wrong.output()).toContain('The database of PATCHBAY_DATABASE_URL cannot be used')
  await using unknown = startProgram('main', [], { ...env, PATCHBAY_PROCESSES: 'many' })
  expect(await unknown.ended).toBe(1)
  expect(unknown.output()).toContain('PATCHBAY_PROCESSES must be')
})
