// What the service asks of its database, and what it does without it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { startEmbeddedServer } from '../../src/db/index.ts'
import { uniqueEmail } from '../harness/accounts.ts'
import { startDatabaseProxy } from '../harness/database-proxy.ts'
import { eventually } from '../harness/eventually.ts'
import { holdLock } from '../harness/held-lock.ts'
import { readiness } from '../harness/readiness.ts'
import { startService } from '../harness/service.ts'
import { deployWebhook } from '../harness/webhooks.ts'

const given = () => ({ email: uniqueEmail(), firstName: 'A', lastName: 'B', roleName: 'User' })

describe('the database', () => {
  it('is asked at most twice beside the commit to create an account', async () => {
    await using proxy = await startDatabaseProxy(inject('postgres'))
    // An API process alone: a worker's own questions would be counted too.
    await using base = await startService({ role: 'api' })
    await using service = await base.startAnother(
      { PATCHBAY_DATABASE_URL: proxy.urlFor(base.databaseUrl), PATCHBAY_SMTP_URL: 'smtp://127.0.0.1:1' },
      'api',
    )
    // Connections, prepared statements and the authentication of this half second are not what is counted.
    for (let warm = 0; warm < 20; warm++) await service.manager.post('/api/Account', given())
    const counts: number[] = []
    for (let sample = 0; sample < 10; sample++) {
      await service.manager.get('/api/Authenticate')
      proxy.takeRoundTrips()
      expect((await service.manager.post('/api/Account', given())).status).toBe(200)
      counts.push(proxy.takeRoundTrips())
    }
    // The least seen is what the operation itself needs: begin and all statements in one, then the commit.
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(2)
    expect(Math.min(...counts)).toBeLessThanOrEqual(3)
  })

  it('may go away and come back: not ready meanwhile, 503 with Retry-After, and all well afterwards', async () => {
    await using proxy = await startDatabaseProxy(inject('postgres'))
    await using base = await startService({ role: 'api' })
    await using service = await base.startAnother({ PATCHBAY_DATABASE_URL: proxy.urlFor(base.databaseUrl) })
    const email = uniqueEmail()
    expect((await service.manager.post('/api/Account', { ...given(), email })).status).toBe(200)
    proxy.cut()
    const refused = await eventually(async () => {
      const answer = await service.client(undefined).get('/readyz')
      return answer.status === 503 ? answer : undefined
    })
    expect(refused.body).toMatchObject({ code: 503, errorMessage: expect.stringContaining('database') })
    expect(refused.headers.get('retry-after')).toBeTruthy()
    expect((await service.client(undefined).get('/livez')).status).toBe(200)
    const answer = await eventually(async () => {
      const tried = await service.manager.post('/api/Accounts', {})
      return tried.status === 200 ? undefined : tried
    })
    expect(answer.status).toBe(503)
    proxy.restore()
    await eventually(async () => (await service.client(undefined).get('/readyz')).status === 200)
    const found = await eventually(async () => {
      const tried = await service.manager.post('/api/Accounts', { searchTerm: email })
      return tried.status === 200 ? tried : undefined
    })
    expect(found.body.total).toBe(1)
    expect(service.logText()).toContain('Not ready. The database cannot be reached: ')
  })

  it('may lose the answer to a commit while a webhook is changed: its request is stored once', async () => {
    await using proxy = await startDatabaseProxy(inject('postgres'))
    await using base = await startService({ role: 'api' })
    await using service = await base.startAnother({ PATCHBAY_DATABASE_URL: proxy.urlFor(base.databaseUrl) }, 'api')
    const { workflowId, send } = await deployWebhook(service.manager)
    const stored = () => base.asOwner('select id from webhook_requests where workflow_id = $1', [workflowId])
    await using queue = await holdLock(base.databaseUrl, 'lock table webhook_queue in share mode')
    const sent = send({})
    const waiting = await eventually(async () => {
      const [row] = await base.asOwner(
        "select pid from pg_locks where not granted and relation = 'patchbay.webhook_queue'::regclass",
      )
      return row
    })
    proxy.loseAnswers()
    await queue.release()
    const first = await eventually(async () => (await stored())[0])
    const settings = { skipProcessingAfterErrors: 7 }
    expect((await base.manager.post(`/api/WebhookSettingsEnable/${workflowId}`, settings)).status).toBe(200)
    await base.asOwner('select pg_terminate_backend($1)', [waiting['pid']])
    expect((await sent).body).toEqual({ webhookId: first['id'] })
    expect(await stored()).toEqual([first])
  })

  it('may cut connections in the middle of work: requests fail with 503 or succeed, and the service goes on', async () => {
    await using service = await startService()
    let isOver = false
    const statuses = new Set<number>()
    const clients = Array.from({ length: 8 }, async () => {
      while (!isOver) statuses.add((await service.manager.post('/api/Account', given())).status)
    })
    for (let cut = 0; cut < 15; cut++) {
      await service.asOwner(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like 'patchbay_%'",
      )
    }
    isOver = true
    await Promise.all(clients)
    expect(
      [...statuses].filter((status) => status !== 200 && status !== 503),
      lastFault(service.logText()),
    ).toEqual([])
    const created = await service.asOwner(
      'select count(*)::int as accounts, (select count(*)::int from data_keys) as keys from accounts',
    )
    expect(created[0]?.['accounts']).toBe(created[0]?.['keys'])
    await eventually(async () => (await service.manager.post('/api/Account', given())).status === 200)
  })

  it('may be one where we are not superuser: the owner of an empty database with the right to make roles', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'patchbay-owned-'))
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
    // A server of its own, where our roles do not exist yet.
    await using server = await startEmbeddedServer(join(directory, 'server'), () => {})
    const admin = new pg.Client({ ...server.connection, user: 'postgres' })
    await admin.connect()
    await admin.query('create role shop login createrole nosuperuser')
    await admin.query('create database shop owner shop')
    await admin.end()
    await using base = await startService({ role: 'api' })
    const { host, port } = server.connection
    await using service = await base.startAnother({
      PATCHBAY_DATABASE_URL: `postgres://shop@localhost:${port}/shop?host=${encodeURIComponent(host)}`,
      PATCHBAY_DATA_DIR: join(directory, 'data'),
    })
    expect((await service.manager.post('/api/Account', given())).status).toBe(200)
    expect((await service.manager.post('/api/Accounts', {})).body.total).toBe(2)
    expect((await readiness(service.client(undefined))).status).toBe(200)
    // Days with runs under way are kept by a function of the owner: it must see the rows that row security guards.
    const owner = new pg.Client({ ...server.connection, user: 'shop', database: 'shop' })
    await owner.connect()
    const { rows } = await owner.query('select count(*)::integer as seen from patchbay.accounts')
    await owner.end()
    expect(rows).toEqual([{ seen: 2 }])
  })
})

/** What the log says of the last failed request, for the reader of a failed test. */
function lastFault(log: string): string {
  return (
    log
      .split('\n')
      .filter((line) => line.includes('an internal error'))
      .at(-1) ?? ''
  )
}
