// `patchbay test`: locally, without a server, through the sandbox of production.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startHttpTarget } from '../../server/test/harness/http-target.ts'
import { joinService } from '../../server/test/harness/joined-service.ts'
import type { TestService } from '../../server/test/harness/service.ts'
import { enableWebhook, leftQueue } from '../../server/test/harness/webhooks.ts'
import { connect } from '../src/session/connect.ts'
import { environmentOf, newFolder, runCommand } from './harness/command.ts'

function folderWith(files: Record<string, string>): string {
  const root = newFolder()
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  return root
}

const orders = {
  'orders/workflow.yaml': 'name: Orders\nblocks:\n  - name: Count\n    script: blocks/count.js\n',
  'orders/blocks/count.js':
    "const found = await api.get('SHOP/orders')\nconsole.log('found ' + found.length)\nawait api.post('SHOP/seen', { count: found.length })\nreturn { count: found.length, name: fx.titleCase(variables.name) }\n",
}
const answers =
  'answers:\n  - url: SHOP/orders\n    data: [{ id: 1 }, { id: 2 }]\n  - method: POST\n    url: SHOP/seen\n'

describe('patchbay test', () => {
  it('passes and fails with the differences, in text, JSON and JUnit', async () => {
    const root = folderWith({
      ...orders,
      'orders/tests/good.yaml': `block: count\nvariables: { name: anna berg }\n${answers}expect:\n  result: { count: 2, name: Anna Berg }\n  log: [found 2]\n  calls:\n    - GET SHOP/orders\n    - { method: POST, url: SHOP/seen, data: { count: 2 } }\n`,
      'orders/tests/wrong.yaml': `block: Count\nname: counts <three>\nvariables: { name: a }\n${answers}expect:\n  result: { count: 3, name: A }\n`,
      'orders/tests/unanswered.yaml':
        'block: count\nexpect:\n  error: There is no recorded answer for GET SHOP/orders\n',
    })
    const ended = await runCommand(['test', '--json', '--junit', 'report.xml'], { cwd: root })
    expect([ended.code, ended.stderr]).toEqual([1, ''])
    expect(JSON.parse(ended.stdout)).toMatchObject([
      { file: 'orders/tests/good.yaml', ok: true, differences: [] },
      { file: 'orders/tests/unanswered.yaml', ok: true },
      {
        name: 'counts <three>',
        ok: false,
        differences: [{ what: 'result', expected: { count: 3 }, actual: { count: 2 } }],
      },
    ])
    const report = readFileSync(join(root, 'report.xml'), 'utf8')
    expect(report).toContain('<testsuite name="Orders" tests="3" failures="1">')
    expect(report).toContain('name="counts &lt;three&gt;"')
    const text = await runCommand(['test'], { cwd: root })
    expect(text.stdout).toContain('2 of 3 tests passed.')
  })

  it('says where a test file is wrong', async () => {
    const root = folderWith({ ...orders, 'orders/tests/bad.yaml': 'block: count\nexpects:\n  result: 1\n' })
    const ended = await runCommand(['test'], { cwd: root })
    expect(ended).toMatchObject({ code: 1, stderr: 'orders/tests/bad.yaml:1:1: expect is missing.\n' })
    const unknown = folderWith({ ...orders, 'orders/tests/bad.yaml': 'block: cuont\nexpect: {}\n' })
    expect((await runCommand(['test'], { cwd: unknown })).stderr).toBe(
      'orders/tests/bad.yaml:1:8: "Orders" has no block "cuont". Expected one of: count.\n',
    )
    expect(await runCommand(['test'], { cwd: newFolder() })).toMatchObject({
      code: 1,
      stderr: 'This folder contains no workflow.yaml.\n',
    })
  })

  it('starts a folder whose test passes', async () => {
    const root = newFolder()
    expect((await runCommand(['init'], { cwd: root })).code).toBe(0)
    expect(await runCommand(['test'], { cwd: root, terminal: true })).toMatchObject({ code: 0 })
    expect((await runCommand(['init'], { cwd: root })).code).toBe(1)
  })

  describe('against a service', () => {
    let service: TestService
    beforeAll(async () => {
      service = await joinService()
    })
    afterAll(() => service[Symbol.asyncDispose]())

    it('records tests from a run that pass at once, locally and remotely', async () => {
      await using target = await startHttpTarget(() => ({ json: [{ id: 1 }, { id: 2 }] }))
      const env = environmentOf(service)
      const { client } = await connect(env, {})
      const application = (await client.applications()).find(({ shortName }) => shortName === 'HTTP')
      await client.regApplicationCreate({
        body: {
          applicationId: application?.id as string,
          tagText: 'shop',
          credentialsJson: JSON.stringify({ baseUrl: target.origin, authType: 'none' }),
        },
      })
      const root = folderWith({
        'orders/workflow.yaml':
          'name: Orders\napplications:\n  HTTP: shop\nvariables:\n  name:\n    type: text\n    value: anna\nrecordCallBodies: true\nblocks:\n  - name: Fetch\n    script: blocks/fetch.js\n    application: HTTP\n  - name: Count\n    script: blocks/count.js\n    dataSources: [fetch]\n    variables:\n      name:\n        workflow: name\n',
        'orders/blocks/fetch.js': "session.vars.seen = 1\nreturn await api.get('HTTP/orders')",
        'orders/blocks/count.js': 'return { count: Datasource[0].length, by: variables.name, seen: session.vars.seen }',
      })
      const run = (...words: string[]) => runCommand(words, { cwd: root, env })
      expect(await run('push')).toMatchObject({ code: 0, stderr: '' })
      expect(await run('deploy', 'Orders')).toMatchObject({ code: 0 })
      expect(await run('run', 'Orders', '--follow')).toMatchObject({ code: 0 })
      expect(await run('test', '--record', '1')).toMatchObject({ code: 0, stderr: '' })
      expect(readFileSync(join(root, 'orders/tests/fetch-run-1.yaml'), 'utf8')).toContain('url: HTTP/orders')
      expect(await run('types')).toMatchObject({ code: 0, stderr: '' })
      const types = readFileSync(join(root, 'orders/.patchbay.d.ts'), 'utf8')
      expect(types).toContain('declare const Datasource: (({ "id": number })[])[]')
      expect(types).toContain('declare const variables: { "name"?: string }')
      expect(types).toMatch(/function get\(url: `\$\{"HTTP"\}\/\$\{string\}`\)/)
      const local = await run('test', '--json')
      expect([local.code, JSON.parse(local.stdout).length]).toEqual([0, 2])
      expect((await run('test', '--remote')).stdout).toContain('2 of 2 tests passed.')
    })

    it('records the request of a webhook as the script saw it', async () => {
      const env = environmentOf(service)
      const root = folderWith({
        'hooked/workflow.yaml': 'name: Hooked\nblocks:\n  - name: Take\n    script: blocks/take.js\n',
        'hooked/blocks/take.js':
          "return [webhook.method, webhook.headers['x-shop'], webhook.urlParameters.page, webhook.body.order]",
      })
      const run = (...words: string[]) => runCommand(words, { cwd: root, env })
      const [{ id }] = JSON.parse((await run('push', '--json')).stdout)
      await service.manager.get(`/api/DeployWorkflow/${id}`)
      const webhook = await enableWebhook(service.manager, id, { urlParameters: 'page=2' })
      const sent = await webhook.send({ order: 7 }, { 'X-Shop': 'north' }, 'PUT')
      await leftQueue(service.manager, id, sent.body.webhookId)
      expect(await run('test', '--record', '1')).toMatchObject({ code: 0, stderr: '' })
      const recorded = readFileSync(join(root, 'hooked/tests/take-run-1.yaml'), 'utf8')
      expect(recorded).toContain('result:\n    - PUT\n    - north\n    - "2"\n    - 7\n')
      expect(await run('test')).toMatchObject({ code: 0 })
    })
  })
})
