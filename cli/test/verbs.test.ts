// Every verb that speaks to a service, piped with --json, and the ones for people in a real terminal.

import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../server/test/harness/eventually.ts'
import { startService, type TestService } from '../../server/test/harness/service.ts'
import { environmentOf, newFolder, type RunOptions, runCommand, startCommand } from './harness/command.ts'

const escapeCharacter = String.fromCharCode(27)

// Each command is a process of its own, and CI machines are slow.
describe('patchbay', { timeout: 120_000 }, () => {
  let service: TestService
  let env: Record<string, string>
  const cli = (words: string, options: RunOptions = {}) =>
    runCommand(words.split(' '), { ...options, env: { ...env, ...options.env } })
  const json = async (words: string, options: RunOptions = {}) => {
    const ended = await cli(`${words} --json`, options)
    expect([ended.code, ended.stderr]).toEqual([0, expect.anything()])
    return JSON.parse(ended.stdout)
  }
  let workflowId = ''
  beforeAll(async () => {
    service = await startService()
    env = environmentOf(service)
    const created = await service.manager.post('/api/Workflow', {
      name: 'Orders',
      chain: [{ blockName: 'Greet', script: "console.log('peregrine line')\nreturn { ok: true }" }],
    })
    workflowId = created.body as string
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('logs in only with keys that work, keeps them for the user alone, and never prints them', async () => {
    const home = newFolder()
    const { consumer, secretKey } = service.firstAccount
    const login = (input: string, words: string[] = []) =>
      runCommand(['login', '--url', service.baseUrl, '--consumer', consumer, '--secret-key-stdin', ...words], {
        env: { HOME: home },
        input,
      })
    const wrong = await login('not-the-key\n')
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('patchbay login')])
    expect((await runCommand(['whoami'], { env: { HOME: home } })).stderr).toContain('Not logged in.')

    const right = await login(`${secretKey}\n`, ['--profile', 'work'])
    expect(right).toMatchObject({ code: 0, stderr: '' })
    const file = join(home, '.config/patchbay/profiles.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(file, 'utf8')).profiles.work.secretKey).toBe(secretKey)
    const me = await runCommand(['whoami'], { env: { HOME: home } })
    expect([me.code, me.stdout]).toEqual([0, expect.stringContaining(service.firstAccount.email)])
    expect([wrong, right, me].map(({ stdout, stderr }) => stdout + stderr).join()).not.toContain(secretKey)

    const elsewhere = await runCommand(['whoami', '--url', 'http://127.0.0.1:1'], { env: { HOME: home } })
    expect([elsewhere.code, elsewhere.stderr]).toEqual([1, expect.stringContaining('The keys of this profile are for')])
  })

  it('uses exit code 2 for wrong use and 1 for what failed, with one sentence', async () => {
    expect((await cli('nonsense')).code).toBe(2)
    expect((await cli('run')).code).toBe(2)
    expect((await cli('runs Orders --limit many')).code).toBe(2)
    expect(await cli('run Nobody')).toMatchObject({ code: 1, stderr: 'No workflow named "Nobody".\n', stdout: '' })
    const away = await cli('whoami', { env: { PATCHBAY_URL: 'http://127.0.0.1:1' } })
    expect(away).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^http:\/\/127\.0\.0\.1:1 cannot be reached\..*\n$/),
    })
    const broken = await cli('whoami --json', { env: { PATCHBAY_SECRET_KEY: 'x' } })
    expect([broken.code, JSON.parse(broken.stderr)]).toEqual([1, { error: expect.stringContaining('patchbay login') }])
  })

  it('deploys, runs, follows, lists, logs and searches by name', async () => {
    expect(await json('deploy Orders')).toMatchObject({ id: workflowId, deployed: true })
    expect(await json('run Orders')).toEqual({ workflowId, runNumber: 1 })
    const followed = await cli('run Orders --follow', { terminal: true })
    expect(followed.code).toBe(0)
    expect(followed.stdout).toContain('peregrine line')
    expect(followed.stdout).toContain(`${escapeCharacter}[32mReady`)
    const piped = await cli(`run ${workflowId} --follow`)
    expect(piped.stdout).toMatch(/Run 3 ended as Ready after \d+ ms\./)
    expect(piped.stdout).not.toContain(escapeCharacter)
    expect((await json('runs Orders')).map((run: { lockVersionNumber: number }) => run.lockVersionNumber)).toEqual([
      3, 2, 1,
    ])
    expect(await json('logs Orders 2')).toEqual([{ block: 'Greet', lines: ['peregrine line'] }])
    await eventually(async () => (await json('search peregrine --in log')).length === 3, 60_000)
  })

  it('follows a run that fails with exit code 1', async () => {
    const { body: id } = await service.manager.post('/api/Workflow', {
      name: 'Broken',
      chain: [{ blockName: 'Fail', script: "throw new Error('no stock')" }],
    })
    await cli(`deploy ${id}`)
    const ended = await cli('run Broken --follow --json')
    expect([ended.code, JSON.parse(ended.stdout).errorMessage]).toEqual([1, expect.stringContaining('no stock')])
  })

  it('tails the stream until it is interrupted', async () => {
    const tail = startCommand(['tail', '--workflow', 'Orders', '--json'], { env })
    await eventually(async () => {
      await cli('run Orders')
      return tail.stdout().includes('"run.ended"')
    }, 60_000)
    tail.child.kill('SIGINT')
    expect((await tail.ended).code).toBe(0)
    expect(JSON.parse(tail.stdout().split('\n')[0] as string)).toMatchObject({ data: { workflowId } })
  })

  it('keeps values in the vault of the account or of a workflow, from standard input', async () => {
    expect(await json('vault set token', { input: '{"a":1}' })).toEqual({ key: 'token', stored: true })
    await json('vault set token --workflow Orders --text', { input: 'hello\n' })
    expect(await json('vault get token')).toEqual({ a: 1 })
    expect((await cli('vault get token --workflow Orders')).stdout).toBe('hello\n')
    expect((await json('vault ls')).map(({ key }: { key: string }) => key)).toEqual(['token'])
    expect(await json('vault rm token')).toEqual({ key: 'token', removed: true })
    expect(await cli('vault get token')).toMatchObject({ code: 1, stderr: 'The vault has no value "token".\n' })
    expect(await cli('vault set token', { input: 'sesame' })).toMatchObject({
      code: 2,
      stderr: expect.not.stringContaining('sesame'),
    })
  })

  it('acts for a managed account, by e-mail', async () => {
    const { body: id } = await service.manager.post('/api/Account', {
      email: 'anna@example.com',
      firstName: 'Anna',
      lastName: 'Berg',
      roleName: 'User',
      activated: true,
    })
    expect((await json('accounts')).map((account: { id: string }) => account.id)).toContain(id)
    expect((await json('whoami --account anna@example.com')).managedAccount).toMatchObject({ id })
    expect(await cli('whoami --account nobody@example.com')).toMatchObject({ code: 1 })
  })

  it('sends signed webhook requests and forwards those of a workflow in development', async () => {
    const { body: id } = await service.manager.post('/api/Workflow', {
      name: 'Hooked',
      chain: [{ blockName: 'Take', script: 'return webhook' }],
    })
    const { body: enabled } = await service.manager.post(`/api/WebhookSettingsEnable/${id}`, {})
    const received: string[] = []
    const local = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      received.push(body)
      response.end()
    })
    await new Promise<void>((done) => local.listen(0, '127.0.0.1', done))
    const to = `http://127.0.0.1:${(local.address() as AddressInfo).port}/`
    const forward = startCommand(['webhook', 'forward', 'Hooked', '--to', to, '--every', '1'], { env })
    await eventually(() => forward.stderr().includes('Waiting'), 60_000)
    const secret = { PATCHBAY_WEBHOOK_SECRET: (enabled as { secret: string }).secret }
    expect((await cli('webhook send Hooked --data -', { input: '{"order":7}', env: secret })).code).toBe(0)
    await eventually(() => received.length > 0, 60_000)
    expect(received).toEqual(['{"order":7}'])
    forward.child.kill('SIGINT')
    await forward.ended
    local.close()
    const unsigned = await cli('webhook send Hooked --data -', {
      input: '{}',
      env: { PATCHBAY_WEBHOOK_SECRET: 'wrong' },
    })
    expect([unsigned.code, unsigned.stderr]).toEqual([1, expect.stringContaining('401')])
    expect((await cli('webhook send Hooked --data -', { input: '{}' })).code).toBe(2)
  })

  it('checks, imports and exports the catalogue', async () => {
    const folder = newFolder()
    mkdirSync(join(folder, 'mine/functions'), { recursive: true })
    const text =
      '/*---\nid: 3d0c4f6e-6f0e-4a55-9a36-0d5b7a2f9c11\nname: shout\ndescription: In capitals.\ncategory: Text\npackage: own\nisAsync: false\narguments:\n  text:\n    type: string\nexamples: []\n---*/\nreturn text.toUpperCase()\n'
    writeFileSync(join(folder, 'mine/functions/shout.js'), text)
    const checked = await cli('catalog check mine --json', { cwd: folder })
    expect([checked.stderr, checked.code]).toEqual(['', 0])
    expect((await json('catalog export out', { cwd: folder })).files).toEqual([])
    expect((await json('catalog import mine', { cwd: folder })).imported).toMatchObject([
      { name: 'shout', change: 'created' },
    ])
    expect((await json('catalog export out', { cwd: folder })).files).toEqual(['functions/shout.js'])
    expect((await cli('catalog import nowhere', { cwd: folder })).code).toBe(1)
  })

  it('previews upgrades of a template, and says when there is none of the name', async () => {
    const { body: templates } = await service.manager.get('/api/WorkflowTemplates')
    const [{ id }] = templates as [{ id: string }]
    expect(await json(`templates upgrade ${id} --preview`)).toEqual([])
    expect(await json(`templates upgrade ${id} --replay-runs 5`)).toEqual({ upgradeId: expect.any(String) })
    expect(await cli(`templates upgrade ${id} --replay-runs many`)).toMatchObject({ code: 2, stdout: '' })
    expect(await cli('templates upgrade Nothing --preview')).toMatchObject({ code: 1, stdout: '' })
    expect(await cli('templates publish Nothing')).toMatchObject({ code: 1, stdout: '' })
  })

  it('says what is wrong with a setup, and writes completion for three shells', async () => {
    expect((await json('doctor')).every((check: { ok: boolean }) => check.ok)).toBe(true)
    expect((await cli('doctor', { env: { PATCHBAY_URL: 'http://127.0.0.1:1' } })).code).toBe(1)
    for (const shell of ['bash', 'zsh', 'fish']) expect((await cli(`completion ${shell}`)).stdout).toContain('webhook')
    expect((await cli('completion powershell')).code).toBe(2)
    const help = await cli('--help', { terminal: true })
    expect([help.code, help.stdout]).toEqual([0, expect.stringContaining('Exit codes')])
  })
})
