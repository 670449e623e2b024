// Two cells behind one address: two databases, two services, and HAProxy with the configuration of deploy/cells. The client knows one address.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { type Program, startProgram } from '../harness/program.ts'
import { admin, emptyOnServer, type Installation } from '../harness/restored.ts'
import { enableWebhook } from '../harness/webhooks.ts'
import { deployWorkflow, endOf, startRun } from '../harness/workflows.ts'

const hasProxy = spawnSync('haproxy', ['-v']).status === 0
const config = fileURLToPath(new URL('../../../deploy/cells/haproxy.cfg', import.meta.url))
const shared = {
  PATCHBAY_MASTER_KEY: randomBytes(32).toString('base64'),
  PATCHBAY_SYSTEM_KEY_SEED: randomBytes(32).toString('base64'),
  PATCHBAY_LOG_LEVEL: 'error',
}
type Cell = { name: string; place: Installation; env: Record<string, string>; program: Program; port: number }

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}

describe.skipIf(!hasProxy)('two cells (skipped without haproxy)', () => {
  const cells: Cell[] = []
  let proxy: ChildProcess
  let publicUrl: string
  beforeAll(async () => {
    const publicPort = await freePort()
    publicUrl = `http://127.0.0.1:${publicPort}`
    for (const name of ['eu1', 'us1']) {
      const place = await emptyOnServer()
      const port = await freePort()
      const env = {
        ...place.env,
        ...shared,
        PATCHBAY_CELL: name,
        PATCHBAY_BASE_URL: publicUrl,
        PATCHBAY_PORT: String(port),
      }
      cells.push({ name, place, env, port, program: startProgram('main', [], env) })
    }
    await Promise.all(cells.map(({ program }) => program.saw(/Patchbay is ready/)))
    const [eu1, us1] = cells as [Cell, Cell]
    const movedMap = join(eu1.place.dataDir, 'moved.map')
    writeFileSync(movedMap, '')
    proxy = spawn('haproxy', ['-db', '-f', config], {
      env: {
        PATH: process.env['PATH'],
        PATCHBAY_PUBLIC: `127.0.0.1:${publicPort}`,
        PATCHBAY_EU1: `127.0.0.1:${eu1.port}`,
        PATCHBAY_US1: `127.0.0.1:${us1.port}`,
        PATCHBAY_MOVED_MAP: movedMap,
      },
      stdio: 'ignore',
    })
    await eventually(async () => (await fetch(`${publicUrl}/readyz`)).ok)
  })
  afterAll(async () => {
    proxy.kill('SIGKILL')
    for (const { program, place } of cells) {
      await program[Symbol.asyncDispose]()
      await place[Symbol.asyncDispose]()
    }
  })

  const keysOf = ({ place }: Cell) => JSON.parse(readFileSync(join(place.dataDir, 'first-account.json'), 'utf8'))

  it.each([0, 1])('cell %i: its keys name it, and lead there with everything they make', async (index) => {
    const cell = cells[index] as Cell
    const keys = keysOf(cell)
    expect(keys.consumer).toMatch(new RegExp(`^pbc_${cell.name}_`))
    const client = new Client(publicUrl, keys)
    expect((await client.get('/api/Authenticate')).body.myAccount.id).toBe(keys.accountId)

    const workflow = await deployWorkflow(client, ['return { cell: "here", got: webhook }'])
    const hook = await enableWebhook(client, workflow.id)
    expect(hook.url).toBe(`${publicUrl}/webhook/${cell.name}.${workflow.id}`)
    expect((await hook.send({ n: 1 })).status).toBe(200)
    expect((await endOf(client, workflow.id, await startRun(client, workflow.id))).status).toBe('Ready')
    await eventually(async () => (await cell.place.query('select from webhook_history', true)).length === 1)

    const made = await client.post('/api/ApiKey', {})
    expect(made.text).toContain(`pbc_${cell.name}_`)
    const link = cell.program.output().match(/(http\S+\/set-password\?token=\S+)/)?.[1] as string
    expect(link).toContain(`token=pbl_${cell.name}_`)
    const page = await fetch(link)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('password')])
  })

  it('an organization made in the second cell is reached by the same address', async () => {
    const cell = cells[1] as Cell
    const made = await admin(['create-organization', '--name', 'Far', '--email', 'far@example.com'], cell.env)
    expect(made.code, made.output).toBe(0)
    const keys = JSON.parse(made.output.slice(made.output.indexOf('{'), made.output.lastIndexOf('}') + 1))
    expect(keys.consumer).toMatch(/^pbc_us1_/)
    expect((await new Client(publicUrl, keys).get('/api/Authenticate')).body.myAccount.email).toBe('far@example.com')
  })

  it('people sign in by e-mail at the one address, whichever cell they live in', async () => {
    const us1 = cells[1] as Cell
    const made = await admin(['create-organization', '--name', 'Walker', '--email', 'walker@example.com'], us1.env)
    const [link = '', token = ''] = made.output.match(/http\S+\/set-password\?token=(\S+)/) ?? []
    const page = await fetch(link)
    const cookie =
      page.headers
        .getSetCookie()
        .find((one) => one.startsWith('patchbay_cell='))
        ?.split(';')[0] ?? ''
    expect(cookie).toBe('patchbay_cell=us1')
    const password = 'correct horse battery staple'
    const form = new URLSearchParams({ token, password, repeated: password })
    const set = { method: 'POST', redirect: 'manual', headers: { Cookie: cookie }, body: form } as const
    expect((await fetch(`${publicUrl}/set-password`, set)).status).toBe(303)

    const signIn = (typed: string) =>
      fetch(`${publicUrl}/api/SignIn`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ email: 'walker@example.com', password: typed }),
      })
    const signedIn = await signIn(password)
    expect([signedIn.status, signedIn.headers.get('set-cookie')]).toEqual([200, expect.stringContaining('pbn_us1_')])
    expect((await signIn('another password')).status).toBe(401)
  })

  it.each([0, 1])('cell %i is named by its metrics and by /readyz', async (index) => {
    const { name, port } = cells[index] as Cell
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    const samples = metrics.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    expect(samples.filter((line) => !line.includes(`cell="${name}"`))).toEqual([])
    expect(await (await fetch(`http://127.0.0.1:${port}/readyz`)).json()).toEqual({ status: 'ready', cell: name })
  })

  it('a cell that is away takes nobody else with it', async () => {
    const [eu1, us1] = cells as [Cell, Cell]
    await us1.program[Symbol.asyncDispose]()
    await eventually(async () => (await new Client(publicUrl, keysOf(us1)).get('/api/Authenticate')).status === 503)
    expect((await new Client(publicUrl, keysOf(eu1)).get('/api/Authenticate')).status).toBe(200)
  })

  it('another seed than the one the keys were made from is refused at the start', async () => {
    const us1 = cells[1] as Cell
    await using wrong = startProgram('main', [], {
      ...us1.env,
      PATCHBAY_SYSTEM_KEY_SEED: randomBytes(32).toString('base64'),
    })
    expect(await wrong.ended).toBe(1)
    expect(wrong.output()).toContain('PATCHBAY_SYSTEM_KEY_SEED is not the seed that')
  })
})
