// What verbs do beyond their plain use, which every-verb.test.ts tries: exit codes, profiles, accounts, webhooks, refusals.
import { createHmac } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../server/test/harness/eventually.ts'
import { joinService } from '../../server/test/harness/joined-service.ts'
import type { TestService } from '../../server/test/harness/service.ts'
import { createWorkflow, deployWorkflow, runToEnd } from '../../server/test/harness/workflows.ts'
import { environmentOf, newFolder, type RunOptions, runCommand, startCommand } from './harness/command.ts'

const escapeCharacter = String.fromCharCode(27)

// Each command is a process of its own, and CI machines are slow.
describe('patchbay', () => {
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
    service = await joinService()
    env = environmentOf(service)
    const script = "console.log('peregrine line')\nreturn { ok: true }"
    workflowId = (await createWorkflow(service.manager, [{ blockName: 'Greet', script }], { name: 'Orders' })).id
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
    const wrong = [
      'nonsense',
      'run',
      'runs Orders --limit many',
      'search x --limit 0',
      'start everything',
      '--nonsense',
    ]
    const codes = Promise.all(wrong.map(async (words) => (await cli(words)).code))
    const [nobody, away, broken] = await Promise.all([
      cli('run Nobody'),
      cli('whoami', { env: { PATCHBAY_URL: 'http://127.0.0.1:1' } }),
      cli('whoami --json', { env: { PATCHBAY_SECRET_KEY: 'x' } }),
    ])
    expect(await codes).toEqual(wrong.map(() => 2))
    expect(nobody).toEqual({ code: 1, stderr: 'No workflow named "Nobody".\n', stdout: '' })
    expect(away).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^http:\/\/127\.0\.0\.1:1 cannot be reached\..*\n$/),
    })
    expect([broken.code, JSON.parse(broken.stderr)]).toEqual([1, { error: expect.stringContaining('patchbay login') }])
  })

  it('runs by name or id, follows with colours only in a terminal, and shows the logs', async () => {
    await service.manager.get(`/api/DeployWorkflow/${workflowId}`)
    expect(await json('run Orders')).toEqual({ workflowId, runNumber: 1 })
    const followed = await cli('run Orders --follow', { terminal: true })
    expect(followed.code).toBe(0)
    expect(followed.stdout).toContain('peregrine line')
    expect(followed.stdout).toContain(`${escapeCharacter}[32mReady`)
    const piped = await cli(`run ${workflowId} --follow`)
    expect(piped.stdout).toMatch(/Run 3 ended as Ready after \d+ ms\./)
    expect(piped.stdout).not.toContain(escapeCharacter)
    const [listed, logged] = await Promise.all([json('runs Orders'), json('logs Orders 2')])
    expect(listed.map((run: { lockVersionNumber: number }) => run.lockVersionNumber)).toEqual([3, 2, 1])
    expect(logged).toEqual([{ block: 'Greet', lines: ['peregrine line'] }])
  })

  it('follows a run that fails with exit code 1', async () => {
    await deployWorkflow(service.manager, ["throw new Error('no stock')"], { name: 'Broken' })
    const ended = await cli('run Broken --follow --json')
    expect([ended.code, JSON.parse(ended.stdout).errorMessage]).toEqual([1, expect.stringContaining('no stock')])
  })

  it('tails the stream of one workflow until it is interrupted', async () => {
    const tail = startCommand(['tail', '--workflow', 'Orders', '--json'], { env })
    await eventually(async () => {
      await runToEnd(service.manager, workflowId)
      return tail.stdout().includes('"run.ended"')
    })
    tail.child.kill('SIGINT')
    expect((await tail.ended).code).toBe(0)
    for (const line of tail.stdout().trim().split('\n'))
      expect(JSON.parse(line)).toMatchObject({ data: { workflowId } })
  })

  it('keeps values in the vault of the account or of a workflow, from standard input', async () => {
    expect(await json('vault set token', { input: '{"a":1}' })).toEqual({ key: 'token', stored: true })
    await json('vault set token --workflow Orders --text', { input: 'hello\n' })
    expect(await json('vault get token')).toEqual({ a: 1 })
    expect((await cli('vault get token --workflow Orders')).stdout).toBe('hello\n')
    expect((await json('vault ls')).map(({ key }: { key: string }) => key)).toEqual(['token'])
    expect(await json('vault rm token')).toEqual({ key: 'token', removed: true })
    const [gone, noJson] = await Promise.all([cli('vault get token'), cli('vault set token', { input: 'sesame' })])
    expect(gone).toMatchObject({ code: 1, stderr: 'The vault has no value "token".\n' })
    expect(noJson).toMatchObject({ code: 2, stderr: expect.not.stringContaining('sesame') })
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
    const { id } = await createWorkflow(service.manager, ['return webhook'], { name: 'Hooked' })
    const { body: hook } = await service.manager.post(`/api/WebhookSettingsEnable/${id}`, {})
    const received: [method: string | undefined, url: string | undefined, body: string][] = []
    const local = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      received.push([request.method, request.url, body])
      response.end()
    })
    await new Promise<void>((done) => local.listen(0, '127.0.0.1', done))
    const to = `http://127.0.0.1:${(local.address() as AddressInfo).port}/`
    const forward = startCommand(['webhook', 'forward', 'Hooked', '--to', to, '--every', '1'], { env })
    await eventually(() => forward.stderr().includes('Waiting'))
    const send = (input: string, secret?: string) =>
      cli('webhook send Hooked --data -', { input, env: secret ? { PATCHBAY_WEBHOOK_SECRET: secret } : {} })
    expect((await send('{"order":7}', hook.secret)).code).toBe(0)
    // Equal ones are two all the same, and another method and a query arrive as they were sent.
    const signature = `sha256=${createHmac('sha256', hook.secret).update('{"order":7}').digest('hex')}`
    const headers = { 'Content-Type': 'application/json', 'X-Patchbay-Signature': signature }
    const answer = await fetch(`${hook.url}?shop=1`, { method: 'PUT', headers, body: '{"order":7}' })
    expect(answer.status).toBe(200)
    expect((await send('{"order":7}', hook.secret)).code).toBe(0)
    await eventually(() => received.length === 3)
    expect(received).toEqual([
      ['POST', '/', '{"order":7}'],
      ['PUT', '/?shop=1', '{"order":7}'],
      ['POST', '/', '{"order":7}'],
    ])
    forward.child.kill('SIGINT')
    expect(await forward.ended).toMatchObject({ code: 0 })
    local.close()
    const [unsigned, unset] = await Promise.all([send('{}', 'wrong'), send('{}')])
    expect([unsigned.code, unsigned.stderr]).toEqual([1, expect.stringContaining('401')])
    expect(unset.code).toBe(2)
  })

  it('previews upgrades of a template, and says when there is none of the name', async () => {
    const { body: templates } = await service.manager.get('/api/WorkflowTemplates')
    const [{ id }] = templates as [{ id: string }]
    const [preview, started, ...refused] = await Promise.all([
      json(`templates upgrade ${id} --preview`),
      json(`templates upgrade ${id} --replay-runs 5`),
      cli(`templates upgrade ${id} --replay-runs many`),
      cli('templates upgrade Nothing --preview'),
      cli('templates publish Nothing'),
    ])
    expect([preview, started]).toEqual([[], { upgradeId: expect.any(String) }])
    expect(refused.map(({ code, stdout }) => [code, stdout])).toEqual([
      [2, ''],
      [1, ''],
      [1, ''],
    ])
  })

  it('says what is wrong with a setup, and shows help in a terminal', async () => {
    const [sound, away, help] = await Promise.all([
      json('doctor'),
      cli('doctor', { env: { PATCHBAY_URL: 'http://127.0.0.1:1' } }),
      cli('--help', { terminal: true }),
    ])
    expect(sound.every((check: { ok: boolean }) => check.ok)).toBe(true)
    expect([away.code, away.stdout]).toEqual([1, expect.stringContaining('fail  Service: http://127.0.0.1:1')])
    expect([help.code, help.stdout]).toEqual([0, expect.stringContaining('Exit codes')])
  })
})
