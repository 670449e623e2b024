import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../src/lib/id.ts'
import { createAccount } from '../harness/accounts.ts'
import { eventually } from '../harness/eventually.ts'
import { type HttpTarget, startHttpTarget } from '../harness/http-target.ts'
import { endOfReplay, replayToEnd } from '../harness/replays.ts'
import { startService, type TestService } from '../harness/service.ts'
import { enableWebhook } from '../harness/webhooks.ts'
import { deployWorkflow, endOf, runToEnd, type SampleWorkflow } from '../harness/workflows.ts'

const http = 'e31040e1-1997-54d0-bfa6-43f910dc7be6'

describe('POST /api/Replay', () => {
  let service: TestService
  let target: HttpTarget
  let registered: string

  beforeAll(async () => {
    service = await startService()
    target = await startHttpTarget()
    const credentialsJson = JSON.stringify({ baseUrl: `${target.origin}/v1`, authType: 'bearer', token: 'the-t0ken' })
    registered = (await service.manager.post('/api/RegApplication', { applicationId: http, credentialsJson })).body
  })
  afterAll(async () => {
    await target[Symbol.asyncDispose]()
    await service[Symbol.asyncDispose]()
  })
  let asked = 0
  beforeEach(() => {
    asked = 0
    target.received.length = 0
    target.answer = ({ method, url }) => ({ json: { method, url, no: ++asked } })
  })

  const deploy = (scripts: Parameters<typeof deployWorkflow>[1], more: object = {}) =>
    deployWorkflow(service.manager, scripts, { applications: { HTTP: registered }, ...more })
  const recorded = async (scripts: Parameters<typeof deployWorkflow>[1], more: object = {}) => {
    const workflow = await deploy(scripts, more)
    await runToEnd(service.manager, workflow.id)
    target.received.length = 0
    return workflow
  }
  const withScript = ({ blocks }: SampleWorkflow, script: string, no = 1) => ({
    changes: { chain: [{ uniqueBlockId: blocks[no - 1], script }] },
  })
  const replay = (workflow: SampleWorkflow, body: object = {}) => replayToEnd(service.manager, workflow.id, body)

  it('gives the same as recorded: calls in their order, vault, time, log and mail, and touches nothing', async () => {
    const workflow = await recorded([
      `console.log('hello')
       const first = await api.get('http/items?page=1')
       const again = await api.get('http/items?page=1')
       const posted = await api.send('http', { verb: 'POST', requestUrl: 'orders', data: { a: 1 } }, true)
       const missing = await api.send('http', { verb: 'DELETE', requestUrl: 'x', responseCodes: [404] }).catch((e) => e.message)
       session.vars.seen = 1
       return [first, again, posted.statusCode, posted.data, missing, dateLastRun]`,
      `const before = [myVault.get('count'), myVault.contains('count'), myVault.getGlobal('none')]
       myVault.set('count', 7)
       await email.send({ to: ['someone@example.com'], subject: 'x', body: 'y' })
       await sleep(20)
       return [before, myVault.get('count'), session.vars, new Date().toISOString().slice(0, 13), run]`,
    ])
    const mails = async () => (await service.manager.post('/api/GetOutbox', {})).body.total
    const mailsBefore = await mails()
    await service.manager.post(`/api/MyVaultSet/${workflow.id}/count`, { jsonData: 'meanwhile' })
    const answer = await replay(workflow)
    expect(answer.runs, JSON.stringify(answer)).toMatchObject([{ runNumber: 1, outcome: 'same', message: null }])
    expect(answer).toMatchObject({
      state: 'Completed',
      counts: { same: 1, different: 0, failed: 0, notReplayable: 0 },
    })
    for (const block of answer.runs[0].blocks)
      expect(block).toMatchObject({ outcome: 'same', result: [], calls: [], log: null, errorMessage: null })
    expect(answer.runs[0].blocks.map((block: { blockName: string }) => block.blockName)).toEqual(['Block 1', 'Block 2'])
    expect(target.received).toEqual([])
    expect(await mails()).toBe(mailsBefore)
    expect((await service.manager.get(`/api/MyVaultGet/${workflow.id}/count`)).body).toBe('meanwhile')
    expect((await service.manager.post(`/api/GetRunHistory/${workflow.id}`, { page: 0, size: 1 })).body.total).toBe(1)
  })

  it('shows what changes would do: result, log, and calls added, removed and changed', async () => {
    const workflow = await recorded([
      `console.log('then')
       await api.get('http/gone')
       const { no } = await api.post('http/orders', { amount: 1 })
       return { no, list: [1, 2, 3] }`,
    ])
    const script = `console.log('now')
       const { no } = await api.post('http/orders', { amount: 2 })
       const refused = await api.post('http/new', { b: 1 }).catch((error) => error.message)
       return { no, list: [0, 1, 2, 3], refused }`
    const before = await service.manager.get(`/api/Workflow/${workflow.id}`)
    const { runs, counts } = await replay(workflow, withScript(workflow, script))
    expect(counts).toEqual({ same: 0, different: 1, failed: 0, notReplayable: 0 })
    const [block] = runs[0].blocks
    expect(block.result).toEqual([
      { op: 'add', path: '/list/0', value: 0 },
      { op: 'add', path: '/refused', value: expect.stringContaining(`POST ${target.origin}/v1/new`) },
    ])
    expect(block.calls).toEqual([
      { change: 'changed', method: 'POST', url: `${target.origin}/v1/orders`, from: { amount: 1 }, to: { amount: 2 } },
      { change: 'added', method: 'POST', url: `${target.origin}/v1/new`, to: { b: 1 } },
      { change: 'removed', method: 'GET', url: `${target.origin}/v1/gone`, from: null },
    ])
    expect(block).toMatchObject({ outcome: 'different', log: { from: ['then'], to: ['now'] }, errorMessage: null })
    expect((await service.manager.get(`/api/Workflow/${workflow.id}`)).text).toBe(before.text)
    expect(target.received).toEqual([])
  })

  it('takes given answers for calls that nobody recorded', async () => {
    const workflow = await recorded(['return 1'])
    const answers = [
      { method: 'get', url: `${target.origin}/v1/new`, data: { first: true } },
      { method: 'GET', url: `${target.origin}/v1/new`, statusCode: 404, data: 'gone' },
    ]
    const script = `const first = await api.get('http/new')
      const second = await api.get('http/new').catch((error) => error.response.statusCode)
      return [first, second]`
    const { runs } = await replay(workflow, { ...withScript(workflow, script), answers })
    expect(runs[0].blocks[0].result).toEqual([{ op: 'replace', path: '', value: [{ first: true }, 404] }])
    expect(runs[0].blocks[0].calls.map(({ change }: { change: string }) => change)).toEqual(['added', 'added'])
  })

  it('fails with the sentence of a call that has no answer, and lists mails with the method MAIL', async () => {
    const workflow = await recorded(['return 1', 'return 2'])
    const failed = await replay(workflow, withScript(workflow, "return api.get('http/new')"))
    expect(failed.counts.failed).toBe(1)
    expect(failed.runs[0].message).toContain('has no answer for it')
    expect(failed.runs[0].blocks).toMatchObject([
      { outcome: 'failed', errorMessage: expect.stringContaining('/v1/new') },
      { outcome: 'different', calls: [] },
    ])
    const script = "await email.send({ to: 'someone@example.com', subject: 's', body: 'b' }).catch(() => {}); return 1"
    const mailing = await replay(workflow, withScript(workflow, script))
    expect(mailing.runs[0].blocks[0].calls).toEqual([
      {
        ...{ change: 'added', method: 'MAIL', url: 'mailto:someone@example.com' },
        to: { to: 'someone@example.com', subject: 's', body: 'b' },
      },
    ])
  })

  it('finds a call in another block, and gives the last answer again', async () => {
    const workflow = await recorded(["return api.get('http/a')", 'return Datasource[0].no'])
    const moved = "const [one, two] = [await api.get('http/a'), await api.get('http/a')]; return one.no + two.no - 1"
    const { runs } = await replay(workflow, {
      changes: {
        chain: [
          { uniqueBlockId: workflow.blocks[0], script: 'return 0' },
          { uniqueBlockId: workflow.blocks[1], script: moved },
        ],
      },
    })
    expect(runs[0].blocks.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['different', 'same'])
    expect(runs[0].blocks[0].calls).toEqual([])
  })

  it('keeps recorded variables unless the changes name them, and passwords hidden', async () => {
    const bound = (name: string) => ({ variableSource: 'Workflow', variableName: name })
    const block = {
      script: `await api.post('http/x', { key: variables.key }); return [variables.word, variables.key.length]`,
      variables: { word: bound('word'), key: bound('key') },
    }
    const workflow = await deploy([block], {
      variables: { word: 'then', key: { value: 'old-passw0rd', type: 'password' } },
    })
    await runToEnd(service.manager, workflow.id)
    await service.manager.post(`/api/Workflow/${workflow.id}`, { variables: { word: 'later' } })
    expect((await replay(workflow)).runs[0].outcome).toBe('same')
    const named = await replay(workflow, { changes: { variables: { word: 'named', key: 'new-passw0rd!' } } })
    expect(named.runs[0].blocks[0].result).toEqual([
      { op: 'replace', path: '/0', value: 'named' },
      { op: 'replace', path: '/1', value: 13 },
    ])
    expect(named.runs[0].blocks[0].calls).toMatchObject([
      { change: 'changed', from: { key: '***' }, to: { key: '***' } },
    ])
    const stored = JSON.stringify(await service.asOwner('select * from replays, replay_runs'))
    expect(JSON.stringify(named) + stored).not.toContain('passw0rd')
  })

  it('hides passwords in bodies, also where they are part of a number', async () => {
    const block = {
      script: `await api.post('http/x', { key: variables.key, text: 'is ' + variables.key, amount: 51234, no: 1234 })`,
      variables: { key: { variableSource: 'Workflow', variableName: 'key' } },
    }
    const workflow = await deploy([block], { variables: { key: { value: '1234', type: 'password' } } })
    await runToEnd(service.manager, workflow.id)
    const { state, runs } = await replay(workflow, withScript(workflow, 'return 1'))
    expect(state).toBe('Completed')
    expect(runs[0].blocks[0].calls).toMatchObject([
      { change: 'removed', from: { key: '***', text: 'is ***', amount: 51234, no: '***' } },
    ])
  })

  it('replays against an earlier revision, which is not changed', async () => {
    const workflow = await recorded(['return 1'])
    await service.manager.post(`/api/Workflow/${workflow.id}`, {
      chain: [{ uniqueBlockId: workflow.blocks[0], script: 'return 2' }],
    })
    expect((await replay(workflow)).runs[0].outcome).toBe('different')
    expect((await replay(workflow, { revision: 1 })).runs[0].outcome).toBe('same')
  })

  it('sees the webhook of the run, and a failed run that fails the same way is the same', async () => {
    const { id, blocks } = await deploy([
      `if (webhook.body.bad) throw new Error('bad ' + webhook.body.bad); return webhook.body`,
    ])
    const webhook = await enableWebhook(service.manager, id)
    await webhook.send({ hello: 'world' })
    await webhook.send({ bad: 1 })
    expect(await endOf(service.manager, id, 1)).toMatchObject({ status: 'Ready' })
    expect(await endOf(service.manager, id, 2)).toMatchObject({ status: 'Error' })
    const same = await replay({ id, blocks })
    expect(same.runs.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['same', 'same'])
    expect(same.runs[0].blocks[0].errorMessage).toBe('bad 1')
    const mended = await replay(
      { id, blocks },
      { ...withScript({ id, blocks }, 'return webhook.body'), runNumbers: [1, 2] },
    )
    expect(mended.runs.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['same', 'different'])
    const other = await replay({ id, blocks }, withScript({ id, blocks }, "throw new Error('other')"))
    expect(other.counts.failed).toBe(2)
  })

  describe('of blocks that run side by side', () => {
    /** Holds up the branch of this address until the other one is recorded. */
    const holdUp = async (path: string, workflow: SampleWorkflow, other: string) => {
      target.answer = async ({ url }) => {
        if (url.endsWith(path)) await eventually(async () => (await recordedEnds(workflow)).includes(other))
        return { json: url }
      }
      await runToEnd(service.manager, workflow.id)
      return recordedEnds(workflow)
    }
    const recordedEnds = async ({ blocks }: SampleWorkflow): Promise<string[]> => {
      const ends = await service.asOwner('select block_id from run_blocks where block_id = any($1) order by seq', [
        blocks,
      ])
      return ends.map(({ block_id }) => `block ${blocks.indexOf(String(block_id)) + 1}`)
    }
    /** In a replay an answer is there at once, so what takes long there is the work of a script. */
    const work = 'for (let n = 0, until = 5e7; n < until; n++);'

    it.each([
      ['first, so that nothing begins after it', 'two', 'block 3', ['block 1', 'block 3', 'block 2']],
      ['last', 'three', 'block 4', ['block 1', 'block 2', 'block 4', 'block 3']],
    ])('is the same where the one that fails had ended %s', async (_when, held, until, order) => {
      const workflow = await deploy([
        { script: 'return 1', after: [] },
        { script: `await api.get('http/two'); ${held === 'three' ? work : ''} return 2`, after: [1] },
        { script: `await api.get('http/three'); ${held === 'two' ? work : ''} throw new Error('no')`, after: [1] },
        { script: 'return 4', after: [2] },
      ])
      expect(await holdUp(held, workflow, until)).toEqual(order)
      const { runs } = await replay(workflow)
      expect(runs[0].outcome, JSON.stringify(runs)).toBe('same')
    })

    it('lets them write session.vars in their recorded order', async () => {
      const workflow = await deploy([
        { script: 'return 1', after: [] },
        { script: `await api.get('http/two'); session.vars.last = 'two'`, after: [1] },
        { script: `await api.get('http/three'); ${work} session.vars.last = 'three'`, after: [1] },
        { script: 'return session.vars.last', after: [2, 3] },
      ])
      expect(await holdUp('two', workflow, 'block 3')).toEqual(['block 1', 'block 3', 'block 2', 'block 4'])
      const { runs } = await replay(workflow)
      expect(runs[0].outcome, JSON.stringify(runs)).toBe('same')
    })

    it('lets a new block before one of them go first, as that one did', async () => {
      const workflow = await deploy([
        { script: 'return 1', after: [] },
        { script: `await api.get('http/two'); return 2`, after: [1] },
        { script: `await api.get('http/three'); throw new Error('no')`, after: [1] },
      ])
      expect(await holdUp('three', workflow, 'block 2')).toEqual(['block 1', 'block 2', 'block 3'])
      const [first, second] = workflow.blocks
      const between = newId()
      const chain = [
        { uniqueBlockId: between, blockName: 'Between', script: `${work} return 1`, dataSources: [first] },
        { uniqueBlockId: second, dataSources: [between] },
      ]
      const { runs } = await replay(workflow, { changes: { chain } })
      expect(
        runs[0].blocks.map(({ blockName, outcome }: Record<string, string>) => `${blockName}: ${outcome}`),
      ).toEqual(['Block 1: same', 'Between: different', 'Block 2: same', 'Block 3: same'])
    })

    it('waits for no block that the changes make depend on another', async () => {
      const workflow = await deploy([
        { script: 'return 1', after: [] },
        { script: `await api.get('http/two'); return 2`, after: [1] },
        { script: `await api.get('http/three'); return 3`, after: [1] },
      ])
      expect(await holdUp('two', workflow, 'block 3')).toEqual(['block 1', 'block 3', 'block 2'])
      const [, second, third] = workflow.blocks
      const chain = [{ uniqueBlockId: third, dataSources: [second] }]
      expect((await replay(workflow, { changes: { chain } })).runs[0].outcome).toBe('same')
    })
  })

  it('starts the clock of a block at its recorded start', async () => {
    const workflow = await recorded(['return 1', 'return 2'])
    await service.asOwner(`update run_blocks set started_at = '2020-02-29T12:00:00Z' where block_id = $1`, [
      workflow.blocks[1],
    ])
    const { runs } = await replay(
      workflow,
      withScript(workflow, 'await sleep(3600000); return new Date().toISOString()', 2),
    )
    expect(runs[0].blocks[1].result[0].value).toMatch(/^2020-02-29T13:00:0/)
  })

  it('says why a run cannot be replayed', async () => {
    const workflow = await recorded(['return 1'], { replayRuns: 1 })
    await runToEnd(service.manager, workflow.id)
    await runToEnd(service.manager, workflow.id, { runFromBlock: 1, runTillBlock: 1 })
    const { runs, counts } = await replay(workflow, { runNumbers: [1, 2, 3, 99, 99] })
    expect(counts).toEqual({ same: 1, different: 0, failed: 0, notReplayable: 3 })
    expect(runs.map(({ message }: { message: string }) => message)).toEqual([
      expect.stringContaining('replayRuns'),
      null,
      'Partial runs are not recorded.',
      'There is no run 99.',
    ])
    expect((await replay(await deploy(['return 1']))).runs).toEqual([])
  })

  it.each([
    [{ lastRuns: 201 }, 'lastRuns'],
    [{ lastRuns: 0 }, 'lastRuns'],
    [{ runNumbers: [] }, 'runNumbers'],
    [{ runNumbers: [1], lastRuns: 1 }, 'not both'],
    [{ revision: 1, changes: {} }, 'not both'],
    [{ changes: { chain: [{ uniqueBlockId: 'x' }] } }, 'uniqueBlockId'],
    [{ changes: { variables: { nobody: 1 } } }, 'nobody'],
    [{ changes: { nonsense: 1 } }, 'nonsense'],
    [{ answers: [{ url: 'x' }] }, 'method'],
  ])('refuses %j', async (body, words) => {
    const workflow = await deploy(['return 1'])
    const answer = await service.manager.post(`/api/Replay/${workflow.id}`, body)
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(words)])
  })

  it('knows no workflow, revision or replay of others, and keeps a replay for a day', async () => {
    const workflow = await recorded(['return 1'])
    const { body } = await service.manager.post(`/api/Replay/${workflow.id}`, {})
    await endOfReplay(service.manager, body.replayId)
    const { client: other } = await createAccount(service, service.manager, 'User')
    expect((await other.get(`/api/Replay/${body.replayId}`)).status).toBe(404)
    expect((await other.post(`/api/Replay/${workflow.id}`, {})).status).toBe(404)
    expect((await service.manager.post(`/api/Replay/${workflow.id}`, { revision: 9 })).status).toBe(404)
    await service.asOwner(`update replays set created_at = now() - interval '25 hours' where id = $1`, [body.replayId])
    expect((await service.manager.get(`/api/Replay/${body.replayId}`)).status).toBe(404)
  })

  it('goes on after the worker that had it is gone', async () => {
    const workflow = await recorded(['return 1'])
    for (let run = 0; run < 3; run++) await runToEnd(service.manager, workflow.id)
    const started = await service.manager.post(`/api/Replay/${workflow.id}`, withScript(workflow, 'return 1 + 1'))
    await endOfReplay(service.manager, started.body.replayId)
    // As a worker leaves it that died after the first run.
    await service.asOwner(`update replays set state = 'Running' where id = $1`, [started.body.replayId])
    await service.asOwner(
      'update replay_runs set outcome = null, sealed_result = null where replay_id = $1 and position > 1',
      [started.body.replayId],
    )
    await service.asOwner(
      `insert into jobs (queue, data) values ('replays', jsonb_build_object('replayId', $1::text))`,
      [started.body.replayId],
    )
    expect((await endOfReplay(service.manager, started.body.replayId)).counts.different).toBe(4)
  })
})
