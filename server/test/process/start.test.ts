// Starting, stopping and surviving, as an operator sees them: real processes, real data directories.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { freePort } from '../harness/free-port.ts'
import { type Program, startByNpm, startProgram } from '../harness/program.ts'
import { readiness } from '../harness/readiness.ts'

const ready = /Patchbay is ready at (\S+) /

const directories: string[] = []
function newDataDir(): string {
  const directory = mkdtempSync(join(tmpdir(), 'patchbay-start-'))
  directories.push(directory)
  return join(directory, 'data')
}
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
})

const start = (dataDir: string, env: Record<string, string> = {}, args: string[] = []) =>
  startProgram('main', args, { PATCHBAY_DATA_DIR: dataDir, PATCHBAY_PORT: '0', ...env })
const readFirstAccount = (dataDir: string) => JSON.parse(readFileSync(join(dataDir, 'first-account.json'), 'utf8'))
const serversOn = (dataDir: string) =>
  execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(`${dataDir}/postgres`))
    .map((line) => Number(line.trim().split(' ')[0]))

describe('the embedded service', () => {
  const dataDir = newDataDir()
  let service: Program
  let baseUrl: string
  beforeAll(async () => {
    service = start(dataDir)
    baseUrl = (await service.saw(ready))[1] as string
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('says what it did, and shows the first account with a sign-in link once', () => {
    expect(service.output()).toMatch(/Creating the embedded database/)
    expect(service.output()).toMatch(/Database brought up to date/)
    expect(service.output()).toContain(readFirstAccount(dataDir).secretKey)
    expect(service.output()).toMatch(/set-password\?token=/)
  })

  it('answers curl with the printed keys', () => {
    const { consumer, secretKey, email } = readFirstAccount(dataDir)
    const answer = execFileSync(
      'curl',
      ['-s', `${baseUrl}/api/Authenticate`, '-H', `Consumer: ${consumer}`, '-H', `SecretKey: ${secretKey}`],
      { encoding: 'utf8' },
    )
    expect(JSON.parse(answer).myAccount.email).toBe(email)
  })

  it('keeps its secrets in files that only its owner reads', () => {
    expect(Object.keys(readFirstAccount(dataDir)).sort()).toEqual([
      'accountId',
      'baseUrl',
      'consumer',
      'email',
      'organizationId',
      'secretKey',
    ])
    for (const file of ['first-account.json', 'master.key'])
      expect(statSync(join(dataDir, file)).mode & 0o777).toBe(0o600)
  })

  it('refuses a second start on the same data directory, and goes on', async () => {
    await using second = start(dataDir)
    expect(await second.ended).toBe(1)
    expect(second.output()).toMatch(/data directory .* is in use by another Patchbay \(process \d+\)/)
    expect((await readiness(new Client(baseUrl, undefined))).status).toBe(200)
  })

  it('makes a further organization on the running service', async () => {
    await using admin = startProgram(
      'admin',
      ['create-organization', '--name', 'Second', '--email', 'second@example.com'],
      { PATCHBAY_DATA_DIR: dataDir },
    )
    expect(await admin.ended, admin.output()).toBe(0)
    expect(admin.output()).toMatch(/set-password\?token=/)
    const made = JSON.parse(admin.output().replace(/^Sign in .*$/m, ''))
    const answer = await new Client(baseUrl, made).get('/api/Authenticate')
    expect(answer.body.myAccount).toMatchObject({
      organizationName: 'Second',
      role: 'Manager',
      email: 'second@example.com',
    })
    await using again = startProgram(
      'admin',
      ['create-organization', '--name', 'Third', '--email', 'second@example.com'],
      { PATCHBAY_DATA_DIR: dataDir },
    )
    expect(await again.ended).toBe(1)
    expect(again.output()).toContain('already exists')
    for (const name of ['Two\nlines', '\u001b[2J', 'x'.repeat(201)]) {
      await using odd = startProgram('admin', ['create-organization', '--name', name, '--email', 'odd@example.com'], {
        PATCHBAY_DATA_DIR: dataDir,
      })
      expect([await odd.ended, odd.output()]).toEqual([
        1,
        'The name of the organization must be a single line of at most 200 characters without control characters.\n',
      ])
    }
  })

  it('stops in order at SIGTERM, the database included', async () => {
    service.kill('SIGTERM')
    expect(await service.ended).toBe(0)
    expect(service.output()).toContain('Stopped.')
    expect(serversOn(dataDir)).toEqual([])
    expect(existsSync(join(dataDir, 'patchbay.lock'))).toBe(false)
    expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false)
  })

  it('starts again with everything it had, without a new account', async () => {
    const { consumer, secretKey } = readFirstAccount(dataDir)
    await using again = start(dataDir)
    const address = (await again.saw(ready))[1] as string
    expect(again.output()).not.toContain('First account')
    expect((await new Client(address, { consumer, secretKey }).get('/api/Authenticate')).status).toBe(200)
  })

  it('starts again after kill -9, also when its database server survived', async () => {
    const victim = start(dataDir)
    await victim.saw(ready)
    victim.kill('SIGKILL')
    await victim.ended
    expect(serversOn(dataDir).length).toBeGreaterThan(0)
    await using again = start(dataDir)
    await again.saw(ready)
    expect(again.output()).toContain('still running')
  })

  it('starts again after the database server was killed as well', async () => {
    const victim = start(dataDir)
    await victim.saw(ready)
    const servers = serversOn(dataDir)
    victim.kill('SIGKILL')
    for (const pid of servers) process.kill(pid, 'SIGKILL')
    await victim.ended
    await eventually(() => serversOn(dataDir).length === 0)
    await using again = start(dataDir)
    await again.saw(ready)
  })

  it('stops with a message when its database dies under it', async () => {
    await using service = start(dataDir)
    await service.saw(ready)
    for (const pid of serversOn(dataDir)) process.kill(pid, 'SIGKILL')
    expect(await service.ended).toBe(1)
    expect(service.output()).toContain('The embedded database stopped unexpectedly')
  })

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'stops in order when npm and the service both get %s, as after Ctrl-C',
    async (signal) => {
      const ownDir = newDataDir()
      await using program = startByNpm({ PATCHBAY_DATA_DIR: ownDir, PATCHBAY_PORT: '0' })
      await program.saw(ready)
      program.killGroup(signal)
      await program.saw(/Stopped\./)
      await program.ended
      await eventually(() => serversOn(ownDir).length === 0)
    },
  )

  it('starts, works and stops in order although nobody reads its output any more', async () => {
    const ownDir = newDataDir()
    const port = await freePort()
    await using service = start(ownDir, { PATCHBAY_PORT: String(port) })
    // What it says from here on, the first account included, meets a broken pipe.
    await service.saw(/Creating the embedded database\./)
    service.stopReading()
    const client = new Client(`http://127.0.0.1:${port}`, undefined)
    await eventually(async () => (await client.get('/readyz').catch(() => undefined))?.status === 200)
    service.kill('SIGTERM')
    expect(await service.ended).toBe(0)
    expect(serversOn(ownDir)).toEqual([])
    expect(existsSync(join(ownDir, 'patchbay.lock'))).toBe(false)
  })

  it('stops in order, the database included, although a client never finishes its request', async () => {
    await using service = start(dataDir)
    const { port } = new URL((await service.saw(ready))[1] as string)
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write(
      'POST /api/SignIn HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{',
    )
    await new Client(`http://127.0.0.1:${port}`, undefined).get('/livez')
    service.kill('SIGTERM')
    expect(await service.ended).toBe(0)
    // It would say so if it had to be ended after half a minute.
    expect(service.output().match(/^(Stopp|Shutdown).*$/gm)).toEqual(['Stopping.', 'Stopped.'])
    expect(serversOn(dataDir)).toEqual([])
    socket.destroy()
  })

  it('lets a locked account in again by the operator’s hand', async () => {
    await using service = start(dataDir)
    await service.saw(ready)
    await using none = startProgram('admin', ['unlock-account', '--email', 'manager@localhost'], {
      PATCHBAY_DATA_DIR: dataDir,
    })
    expect(await none.ended).toBe(1)
    expect(none.output()).toContain('no locked account')
  })

  it('gives an active or an invited account a link by the operator’s hand, and no other', async () => {
    await using service = start(dataDir)
    const [, url = ''] = await service.saw(ready)
    const ask = async (email: string) => {
      await using asked = startProgram('admin', ['sign-in-link', '--email', email], {
        PATCHBAY_DATA_DIR: dataDir,
        PATCHBAY_BASE_URL: url,
      })
      return { code: await asked.ended, output: asked.output() }
    }
    const given = await ask('Manager@localhost')
    expect(given.code).toBe(0)
    const link = /Set a new password within an hour: (\S+)/.exec(given.output)?.[1] ?? ''
    const page = await fetch(link)
    expect([page.status, link.startsWith(`${url}/set-password?token=`)]).toEqual([200, true])
    const none = {
      code: 1,
      output: expect.stringContaining('There is no active or invited account with this e-mail address'),
    }
    expect(await ask('nobody@localhost')).toMatchObject(none)

    const { consumer, secretKey } = readFirstAccount(dataDir)
    const client = new Client(url, { consumer, secretKey })
    const invited = { firstName: 'Ida', lastName: 'Invited', email: 'ida@example.com', roleName: 'User' }
    const { status, body } = await client.post('/api/Account', invited)
    expect(status).toBe(200)
    const activation =
      /Activate the account within an hour: (\S+)/.exec((await ask('ida@example.com')).output)?.[1] ?? ''
    expect(activation.startsWith(`${url}/activate?token=`)).toBe(true)
    const password = 'a long and good password'
    const activated = await fetch(activation, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ token: activation.split('=')[1] ?? '', password, repeated: password }),
    })
    expect(activated.headers.get('location')).toBe('/')
    const accounts: { id: string; accountState: string }[] = (await client.get('/api/Accounts')).body
    expect(accounts.find(({ id }) => id === body)?.accountState).toBe('active')
  })

  it('refuses to start with another master key and changes nothing', async () => {
    await using wrong = start(dataDir, { PATCHBAY_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') })
    expect(await wrong.ended).toBe(1)
    expect(wrong.output()).toMatch(/Patchbay cannot start\. The master key is not the one/)
    await using right = start(dataDir)
    await right.saw(ready)
  })
})

describe('a start that cannot succeed says why in one sentence', () => {
  it.each([
    [{ PATCHBAY_PROT: '80' }, /PATCHBAY_PROT is not a setting/],
    [{ PATCHBAY_DATABASE_URL: 'mysql://u:geheim@x/y' }, /PATCHBAY_DATABASE_URL/],
    [{ PATCHBAY_MASTER_KEY_FILE: '/does/not/exist' }, /\/does\/not\/exist does not exist/],
  ])('%j', async (env, words) => {
    await using program = start(newDataDir(), env)
    expect(await program.ended).toBe(1)
    expect(program.output()).toMatch(words)
    expect(program.output()).not.toContain('geheim')
    expect(program.output().trim().split('\n').length).toBeLessThan(4)
  })
  it.each(['api', 'worker'])('the role %s alone without a database', async (role) => {
    await using program = start(newDataDir(), {}, [role])
    expect(await program.ended).toBe(1)
    expect(program.output()).toContain('PATCHBAY_DATABASE_URL is needed')
  })
  it('a word that is no role', async () => {
    await using program = start(newDataDir(), {}, ['boss'])
    expect(await program.ended).toBe(1)
    expect(program.output()).toContain('Unknown role "boss"')
  })
  it('a database that the server does not have', async () => {
    const { host, port } = inject('postgres')
    const url = `postgres://postgres:geheim@localhost:${port}/nowhere?host=${encodeURIComponent(host)}`
    await using program = start(newDataDir(), { PATCHBAY_DATABASE_URL: url })
    expect(await program.ended).toBe(1)
    expect(program.output()).toMatch(/^Patchbay cannot start\. The database of PATCHBAY_DATABASE_URL cannot be used/m)
    expect(program.output()).not.toContain('geheim')
  })
  it('a port that is taken', async () => {
    const dataDir = newDataDir()
    await using first = start(newDataDir())
    const taken = new URL((await first.saw(ready))[1] as string).port
    await using second = start(dataDir, { PATCHBAY_PORT: taken })
    expect(await second.ended).toBe(1)
    expect(second.output()).toContain(`${taken} is taken by another program`)
    expect(second.output().trim().split('\n').length).toBeLessThan(6)
    expect(serversOn(dataDir)).toEqual([])
  })
})

describe('a database that is not there yet', () => {
  it('is waited for, with one line about it, and the service is ready when it comes', async () => {
    const { startService } = await import('../harness/service.ts')
    const { startDatabaseProxy } = await import('../harness/database-proxy.ts')
    await using other = await startService({ role: 'api' })
    await using proxy = await startDatabaseProxy(inject('postgres'))
    proxy.cut()
    await using program = start(other.dataDir, { PATCHBAY_DATABASE_URL: proxy.urlFor(other.databaseUrl) }, ['worker'])
    await program.saw(/^Waiting for the database\. The database cannot be reached: /m)
    // It has asked again since.
    const refused = proxy.refusals()
    await eventually(() => proxy.refusals() > refused + 2)
    proxy.restore()
    await program.saw(/Patchbay worker is ready/)
    expect(program.output().match(/^Waiting for the database/gm)).toHaveLength(1)
  })

  it('is waited for no longer once the service is told to stop', async () => {
    await using program = start(newDataDir(), { PATCHBAY_DATABASE_URL: 'postgres://u:geheim@127.0.0.1:1/x' })
    await program.saw(/^Waiting for the database\. .*ECONNREFUSED/m)
    program.kill('SIGTERM')
    expect(await program.ended).toBe(0)
    expect(program.output()).not.toContain('geheim')
  })
})

describe('the port for health', () => {
  it('says that the service is starting until the API listens', async () => {
    const { startService } = await import('../harness/service.ts')
    await using other = await startService({ role: 'api' })
    const ports = { api: await freePort(), metrics: await freePort() }
    await using _program = start(other.dataDir, {
      PATCHBAY_DATABASE_URL: other.databaseUrl,
      PATCHBAY_PORT: String(ports.api),
      PATCHBAY_METRICS_PORT: String(ports.metrics),
    })
    const health = new Client(`http://127.0.0.1:${ports.metrics}`, undefined)
    const api = new Client(`http://127.0.0.1:${ports.api}`, undefined)
    const seen = new Set<string>()
    await eventually(async () => {
      const answer = await health.get('/readyz').catch(() => undefined)
      if (answer?.status === 503) seen.add(answer.body.errorMessage)
      if (answer?.status !== 200) return undefined
      return (await api.get('/livez')).status === 200
    })
    expect([...seen].filter((why) => why !== 'The service is starting.')).toEqual([])
    expect((await health.get('/metrics')).text).toMatch(/^patchbay_ready 1$/m)
  })
})

describe('processes that share a PostgreSQL of one’s own', () => {
  it('start at once: one first account, one set of migrations; each role does its part', async () => {
    const { host, port } = inject('postgres')
    const name = `shared_${process.pid}`
    const onServer = (statement: string) =>
      execFileSync(process.execPath, [
        '-e',
        `import('pg').then(async ({ default: pg }) => { const c = new pg.Client({ host: ${JSON.stringify(host)}, port: ${port}, user: 'postgres', database: 'postgres' }); await c.connect(); await c.query(${JSON.stringify(statement)}); await c.end() })`,
      ])
    onServer(`create database ${name}`)
    const dataDir = newDataDir()
    const env = {
      PATCHBAY_DATABASE_URL: `postgres://postgres@localhost:${port}/${name}?host=${encodeURIComponent(host)}`,
    }
    {
      const programs = [
        start(dataDir, env, ['api']),
        start(dataDir, env, ['api']),
        start(dataDir, env, ['worker']),
        start(dataDir, env),
      ]
      await using one = programs[0] as Program
      await using two = programs[1] as Program
      await using worker = programs[2] as Program
      await using both = programs[3] as Program
      await Promise.all([one.saw(ready), two.saw(ready), both.saw(ready), worker.saw(/Patchbay worker is ready/)])
      expect(programs.filter((program) => program.output().includes('First account:'))).toHaveLength(1)
      const { consumer, secretKey } = readFirstAccount(dataDir)
      for (const api of [one, two, both]) {
        const address = (await api.saw(ready))[1] as string
        expect((await new Client(address, { consumer, secretKey }).get('/api/Authenticate')).status).toBe(200)
      }
    }
    onServer(`drop database ${name} with (force)`)
  })

  it('refuse a database that a newer program has migrated', async () => {
    const { host, port } = inject('postgres')
    const { startService } = await import('../harness/service.ts')
    await using service = await startService()
    await service.asOwner("insert into migrations (name, checksum) values ('9999_future', 'x')")
    await using older = start(newDataDir(), { PATCHBAY_DATABASE_URL: service.databaseUrl })
    expect(await older.ended).toBe(1)
    expect(older.output()).toMatch(/older than its database, which a newer Patchbay brought to 9999_future/)
    expect([host, port]).toBeTruthy()
  })
})
