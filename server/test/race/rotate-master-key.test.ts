// The master key is replaced while services run; nothing becomes unreadable, whenever the command dies.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Database } from '../../src/db/index.ts'
import { KeyRing, MasterKeys } from '../../src/secrets/index.ts'
import { createAccount } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { programEnvironment, programFile } from '../harness/program.ts'
import { proofSize } from '../harness/proof-size.ts'
import { startService, type TestService } from '../harness/service.ts'

/** Data keys that are wrapped anew, and how often the command is killed over it. */
const keyCount = proofSize('ROTATED_KEYS', { small: 1500, large: 100_000 })
const killsWanted = proofSize('ROTATION_KILLS', { small: 3, large: 20 })

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service[Symbol.asyncDispose]())

type Run = { code: number | null; output: string }

/** `onLine` may end the program the hard way. */
function rotate(
  options: { args?: string[]; env?: Record<string, string>; onLine?: (line: string, child: ChildProcess) => void } = {},
): Promise<Run> {
  const child = spawn(process.execPath, [programFile('admin'), 'rotate-master-key', ...(options.args ?? [])], {
    env: {
      ...programEnvironment,
      PATCHBAY_DATA_DIR: service.dataDir,
      PATCHBAY_DATABASE_URL: service.databaseUrl,
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line)
      options.onLine?.(line, child)
    })
  }
  return new Promise((done) => child.on('close', (code) => done({ code, output: lines.join('\n') })))
}

const keyFile = () => join(service.dataDir, 'master.key')
const keysIn = (path: string) => readFileSync(path, 'utf8').trim().split('\n')
const masterKeyIds = async () =>
  (
    await service.asOwner(
      'select distinct master_key_id as id from data_keys union select master_key_id from system_keys',
    )
  ).map((row) => row['id'])

/** Accounts with data keys, as many as a real installation has. */
async function addAccounts(count: number): Promise<string[]> {
  await using database = new Database({ connectionString: service.databaseUrl }, () => {})
  const keyRing = await KeyRing.load(
    database,
    new MasterKeys({ kind: 'file', path: keyFile(), createIfMissing: false }),
  )
  const ids = Array.from({ length: count }, () => randomUUID())
  const made: Awaited<ReturnType<KeyRing['newDataKey']>>[] = []
  for (let at = 0; at < count; at += 1000)
    made.push(...(await Promise.all(ids.slice(at, at + 1000).map((id) => keyRing.newDataKey(id)))))
  await service.asOwner(
    `insert into accounts (id, organization_id, email, first_name, last_name, role, state)
     select id, $2, id || '@example.com', 'A', 'B', 'User', 'active' from unnest($1::uuid[]) as id`,
    [ids, service.firstAccount.organizationId],
  )
  await service.asOwner(
    'insert into data_keys (id, account_id, master_key_id, wrapped) select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bytea[])',
    [made.map((key) => key.key.id), ids, made.map((key) => key.masterKeyId), made.map((key) => key.wrapped)],
  )
  return ids
}

const address = (verb: string, id: string) => `/api/MyVault${verb}Global/${id}/secret`

async function readAll(client: Client, ids: string[]): Promise<unknown[]> {
  const answers = await Promise.all(ids.map((id) => client.as(id).get(address('Get', id))))
  return answers.map((answer) => answer.body)
}

/** Writes values and reads them again, one account after the other, until it is told to end. */
function useWhile(
  client: Client,
  ids: string[],
): AsyncDisposable & { end(): Promise<{ calls: number; faults: string[] }> } {
  let isEnding = false
  const used = { calls: 0, faults: [] as string[] }
  const working = (async () => {
    while (!isEnding) {
      const id = ids[used.calls % ids.length] as string
      const value = `call ${used.calls++}`
      const set = await client.as(id).post(address('Set', id), { jsonData: value })
      const got = await client.as(id).get(address('Get', id))
      if (set.status !== 200 || got.body !== value) used.faults.push(`${set.text} ${got.text}`)
    }
  })()
  const end = async () => {
    isEnding = true
    await working
    return used
  }
  return { end, [Symbol.asyncDispose]: async () => void (await end()) }
}

describe('rotate-master-key', () => {
  it(
    'killed again and again goes on where it was, with every value readable in every process',
    async () => {
      const ids = await addAccounts(keyCount)
      const told = ids.slice(0, 45 + 15 * killsWanted)
      for (const id of told) await service.manager.as(id).post(address('Set', id), { jsonData: `value of ${id}` })
      const expected = (some: string[]) => some.map((id) => `value of ${id}`)
      const [old] = await masterKeyIds()
      // A process that has none of these keys in memory and does not start again.
      await using reader = await service.startAnother()
      expect(await readAll(reader.manager, told.slice(0, 30))).toEqual(expected(told.slice(0, 30)))

      let kills = 0
      await using load = useWhile(service.manager, ids.slice(-200))
      for (let time = 0; time < killsWanted; time++) {
        const run = await rotate({
          onLine: (line, child) => void (line.startsWith('Rewrapped') && child.kill('SIGKILL')),
        })
        if (run.code === null) kills++
        // Their keys are in no memory yet.
        const unread = told.slice(30 + 15 * time, 45 + 15 * time)
        expect(await readAll(reader.manager, unread), run.output).toEqual(expected(unread))
        expect(keysIn(keyFile()).length).toBeLessThanOrEqual(2)
        await createAccount(service, reader.manager, 'User')
      }
      expect(kills).toBeGreaterThan(killsWanted / 2)
      {
        await using fresh = await service.startAnother()
        expect(await readAll(fresh.manager, told)).toEqual(expected(told))
      }
      const last = await rotate()
      expect(last, last.output).toMatchObject({ code: 0 })
      const used = await load.end()
      console.log(
        `${keyCount} keys, ${kills} kills, ${used.calls} writes and reads meanwhile, ${used.faults.length} wrong`,
      )
      expect(used.faults).toEqual([])
      expect(used.calls).toBeGreaterThan(killsWanted)

      const [current, ...others] = await masterKeyIds()
      expect(others).toEqual([])
      expect(current).not.toBe(old)
      expect(await service.asOwner('select id, is_current from master_keys')).toEqual([
        { id: current, is_current: true },
      ])
      expect(keysIn(keyFile())).toHaveLength(1)
      expect(statSync(keyFile()).mode & 0o777).toBe(0o600)
      expect(statSync(`${keyFile()}.retired`).mode & 0o777).toBe(0o600)
      expect(existsSync(`${keyFile()}.next`)).toBe(false)
      expect(await readAll(reader.manager, told)).toEqual(expected(told))
      const user = await createAccount(service, service.manager, 'User')
      expect((await user.client.post(address('Set', user.id), { jsonData: 1 })).body).toBe(true)
      await using fresh = await service.startAnother()
      expect(await readAll(fresh.manager, told)).toEqual(expected(told))
      expect((await fresh.client(user.client.keys).get(address('Get', user.id))).body).toBe(1)
    },
    120_000 + killsWanted * 20_000 + keyCount * 3,
  )

  it('takes a key from a file, and says so when the file is no key', async () => {
    const path = join(service.dataDir, 'new.key')
    expect((await rotate({ args: ['--new-key-file', path] })).code).toBe(1)
    writeFileSync(path, 'short')
    const refused = await rotate({ args: ['--new-key-file', path] })
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('32 bytes')])
    const key = randomBytes(32).toString('base64')
    writeFileSync(path, `${key}\n`)
    const done = await rotate({ args: ['--new-key-file', path] })
    expect(done, done.output).toMatchObject({ code: 0 })
    expect(keysIn(keyFile())).toEqual([key])
  })

  it('goes on with a key that was prepared but not yet used, and refuses another meanwhile', async () => {
    const [old] = keysIn(keyFile())
    const prepared = randomBytes(32).toString('base64')
    // Killed between making the new key and putting it into the key file.
    writeFileSync(`${keyFile()}.next`, `${prepared}\n`, { mode: 0o600 })
    expect((await rotate()).code).toBe(0)
    expect(keysIn(keyFile())).toEqual([prepared])
    expect(keysIn(`${keyFile()}.retired`)[0]).toBe(old)

    // As an operator with several machines prepares the file.
    const next = randomBytes(32).toString('base64')
    writeFileSync(keyFile(), `${next}\n${prepared}\n`)
    const path = join(service.dataDir, 'another.key')
    writeFileSync(path, randomBytes(32).toString('base64'))
    const refused = await rotate({ args: ['--new-key-file', path] })
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('in progress')])
    expect((await service.manager.get('/api/Authenticate')).status).toBe(200)
    expect((await rotate()).code).toBe(0)
    expect(keysIn(keyFile())).toEqual([next])
  })

  it('started twice at once ends with one key that opens everything', async () => {
    const ids = (await addAccounts(600)).slice(0, 20)
    for (const id of ids) await service.manager.as(id).post(address('Set', id), { jsonData: id })
    const runs = await Promise.all([rotate(), rotate()])
    for (const run of runs) expect(run, run.output).toMatchObject({ code: 0 })
    await using fresh = await service.startAnother()
    expect(await readAll(fresh.manager, ids)).toEqual(ids)
    expect(await masterKeyIds()).toHaveLength(1)
  })

  it('leaves a key that does not open as it is, names it and keeps the old master key', async () => {
    const [id] = await addAccounts(1)
    const [row] = await service.asOwner('update data_keys set wrapped = $2 where account_id = $1 returning id', [
      id,
      randomBytes(60),
    ])
    const run = await rotate()
    expect([run.code, run.output]).toEqual([1, expect.stringContaining(row?.['id'] as string)])
    expect(keysIn(keyFile())).toHaveLength(2)
    await using fresh = await service.startAnother()
    expect((await fresh.manager.get('/api/Authenticate')).status).toBe(200)
    await service.asOwner('delete from data_keys where account_id = $1', [id])
    expect((await rotate()).code).toBe(0)
    expect(keysIn(keyFile())).toHaveLength(1)
  })

  it('of a key given as a value asks for both keys first, and then uses them', async () => {
    const old = keysIn(keyFile())[0] as string
    const next = randomBytes(32).toString('base64')
    const alone = await rotate({ env: { PATCHBAY_MASTER_KEY: old } })
    expect([alone.code, alone.output]).toEqual([1, expect.stringContaining('comma')])
    const both = { PATCHBAY_MASTER_KEY: `${next},${old}` }
    await using running = await service.startAnother(both)
    expect((await rotate({ env: both })).code).toBe(0)
    const user = await createAccount(service, running.manager, 'User')
    expect((await running.client(user.client.keys).get('/api/Authenticate')).status).toBe(200)
    await using after = await service.startAnother({ PATCHBAY_MASTER_KEY: next })
    expect((await after.manager.get('/api/Authenticate')).status).toBe(200)
    writeFileSync(keyFile(), `${next}\n`)
  })

  it('a service with the key from before, or with any other, refuses to start', async () => {
    const old = keysIn(keyFile())[0] as string
    expect((await rotate()).code).toBe(0)
    for (const key of [old, randomBytes(32).toString('base64')]) {
      await expect(service.startAnother({ PATCHBAY_MASTER_KEY: key })).rejects.toThrow('master key')
      const refused = await rotate({ env: { PATCHBAY_MASTER_KEY: key } })
      expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('not the one')])
    }
  })
})
