// The command line as a person waits for it: a process a verb, against a service with its usual limits.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from '@patchbay/sdk'
import { medianOf } from './measure.ts'
import type { Row } from './report.ts'
import { newDataDir, startBenchService } from './service.ts'

const bin = fileURLToPath(new URL('../../cli/bin/patchbay.js', import.meta.url))
const workflows = 1000
const tests = 100
const rounds = 3

export async function benchKit(): Promise<Row[]> {
  using dataDir = newDataDir()
  await using service = await startBenchService(dataDir.path, { PATCHBAY_RATE_LIMIT_PER_SECOND: '2000' })
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-kit-'))
  try {
    const env = {
      PATCHBAY_URL: service.baseUrl,
      PATCHBAY_CONSUMER: service.keys.Consumer,
      PATCHBAY_SECRET_KEY: service.keys.SecretKey,
    }
    await createWorkflows(service.baseUrl, service.keys)
    const flows = join(folder, 'flows')
    mkdirSync(flows)
    const help = await timesOf(() => msOf(['--help'], folder, {}))
    const pull = await msOf(['pull'], flows, env)
    const diff = await timesOf(() => msOf(['diff'], flows, env))
    const push = await msOf(['push'], flows, env)
    writeTests(join(folder, 'tested'))
    const test = await timesOf(() => msOf(['test'], join(folder, 'tested'), {}))
    return [
      row('patchbay --help', help, 150),
      row(`pull of ${workflows} workflows`, [pull], 10_000),
      row(`diff of ${workflows} workflows`, diff, 5000),
      {
        what: `push of ${workflows} unchanged workflows`,
        measured: `${push.toFixed(0)} ms`,
        wanted: 'for information',
        isMet: undefined,
      },
      row(`test of ${tests} block tests`, test, 5000),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function row(what: string, times: readonly number[], msMax: number): Row {
  const ms = medianOf(times)
  return { what, measured: `${ms.toFixed(0)} ms`, wanted: `under ${msMax} ms`, isMet: ms < msMax }
}

async function timesOf(measure: () => Promise<number>): Promise<number[]> {
  // The first fills the compile cache, as the first use after an installation does.
  await measure()
  const times: number[] = []
  for (let round = 0; round < rounds; round++) times.push(await measure())
  return times
}

function msOf(words: string[], cwd: string, env: Record<string, string>): Promise<number> {
  const startedAt = performance.now()
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [bin, ...words], {
    cwd,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return new Promise((done, fail) => {
    child.on('close', (code) => {
      if (code === 0) done(performance.now() - startedAt)
      else fail(new Error(`patchbay ${words.join(' ')} ended with ${code}.`))
    })
  })
}

async function createWorkflows(baseUrl: string, keys: { Consumer: string; SecretKey: string }): Promise<void> {
  const client = createClient({ baseUrl, keys: { consumer: keys.Consumer, secretKey: keys.SecretKey } })
  const chain = Array.from({ length: 5 }, (_, no) => ({
    blockName: `Block ${no}`,
    script: `// Step ${no}\n${'const found = Datasource[0]?.map((one) => one.id)\n'.replace('found', `found${no}`).repeat(1)}return { no: ${no} }`,
  }))
  const one = (no: number) => ({ workflow: { name: `Workflow ${no}`, variables: { who: { value: `${no}` } }, chain } })
  await client.pushWorkflows({ body: { workflows: Array.from({ length: workflows }, (_, no) => one(no)) } })
}

function writeTests(folder: string): void {
  for (const path of ['blocks', 'tests']) mkdirSync(join(folder, 'orders', path), { recursive: true })
  const write = (path: string, text: string) => writeFileSync(join(folder, 'orders', path), text)
  write('workflow.yaml', 'name: Orders\nblocks:\n  - name: Count\n    script: blocks/count.js\n')
  write(
    'blocks/count.js',
    "const found = await api.get('SHOP/orders')\nreturn { count: found.length, by: variables.name }\n",
  )
  const text =
    'block: count\nvariables: { name: anna }\nanswers:\n  - url: SHOP/orders\n    data: [{ id: 1 }, { id: 2 }]\nexpect:\n  result: { count: 2, by: anna }\n  calls: [GET SHOP/orders]\n'
  for (let no = 0; no < tests; no++) write(`tests/test-${no}.yaml`, text)
}
