// run.resumeUrl: an address that lets a run go on, once.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { startService, type TestService } from '../harness/service.ts'
import { blockResult, deployWorkflow, endOf, findRun, runToEnd, startRun } from '../harness/workflows.ts'

let service: TestService
let client: Client
let visitor: Client
beforeAll(async () => {
  service = await startService()
  client = (await createAccount(service, service.manager, 'DevPartner')).client
  visitor = service.client(undefined)
})
afterAll(() => service[Symbol.asyncDispose]())

/** A run that waits, and the path of its address. */
async function waiting(wait: object) {
  const script = 'console.log(run.resumeUrl); return { n: 7 }'
  const workflow = await deployWorkflow(client, [{ script, flow: { wait } }, 'return Datasource[0]'])
  await startRun(client, workflow.id)
  await eventually(async () => (await findRun(client, workflow.id, 1))?.status === 'Waiting')
  const [{ details }] = (await service.asOwner(
    'select w.details from run_waits w join runs r on r.id = w.run_id where r.workflow_id = $1',
    [workflow.id],
  )) as [{ details: string }]
  const url = (JSON.parse(details) as { log: string[] }).log[0] as string
  return { ...workflow, url, path: new URL(url).pathname }
}

const resultOf = async (workflow: { id: string; blocks: string[] }) => {
  await endOf(client, workflow.id, 1)
  return (await blockResult(client, workflow, 2)).body.result
}

describe('the resume address', () => {
  it.each([
    ['a time', { seconds: 3600 }],
    ['an event', { events: ['never'] }],
    ['an approval', { approval: { title: '"Pay"', to: ['a@people.example'] } }],
  ])('lets a run go on that waits for %s, once', async (_, wait) => {
    const asked = await waiting(wait)
    expect(asked.url.startsWith(`${service.baseUrl}/resume/pbw_`)).toBe(true)
    const shown = await visitor.get(asked.path)
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect((await findRun(client, asked.id, 1)).status).toBe('Waiting')
    const answers = await Promise.all([1, 2, 3].map((n) => visitor.post(asked.path, { n })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410])
    expect(answers.find(({ status }) => status === 200)?.text).toBe('{}')
    expect(answers.find(({ status }) => status === 410)?.body).toEqual({
      code: 410,
      errorMessage: 'This address was already used, or the run no longer waits for it.',
      response: null,
    })
    const n = answers.findIndex(({ status }) => status === 200) + 1
    expect(await resultOf(asked)).toEqual({
      ...{ outcome: 'resumed', prepared: { n: 7 }, data: { n }, by: null, comment: null },
      dateTimeUTC: expect.any(String),
    })
    expect((await visitor.post(asked.path, {})).status).toBe(410)
    const approvals = (await client.post('/api/Approvals', { size: 100 })).body.items
    const approval = approvals.find((item: { workflowId: string }) => item.workflowId === asked.id)
    expect(approval?.outcome).toBe('approval' in wait ? 'resumed' : undefined)
  })

  it('that is used before the block waits ends the wait as soon as it begins', async () => {
    const script = 'myVault.set("url", run.resumeUrl); while (!myVault.contains("go")) await sleep(20); return 1'
    const wait = { approval: { title: '"Pay"', to: ['a@people.example'] } }
    const workflow = await deployWorkflow(client, [{ script, flow: { wait } }, 'return Datasource[0]'])
    await startRun(client, workflow.id)
    const url = await eventually(async () => {
      const { status, body } = await client.get(`/api/MyVaultGet/${workflow.id}/url`)
      return status === 200 && typeof body === 'string' ? body : undefined
    })
    const { pathname } = new URL(url)
    expect((await visitor.post(pathname, { early: true })).status).toBe(200)
    expect((await visitor.post(pathname, { early: false })).status).toBe(410)
    await client.post(`/api/MyVaultSet/${workflow.id}/go`, { jsonData: true })
    expect(await resultOf(workflow)).toMatchObject({ outcome: 'resumed', data: { early: true }, prepared: 1 })
    // Nobody is asked any more.
    const { items } = (await client.post('/api/Approvals', { size: 100 })).body
    expect(items.some((item: { workflowId: string }) => item.workflowId === workflow.id)).toBe(false)
  })

  it('takes no body as null, refuses what is not JSON and what is too large, and is then still good', async () => {
    const asked = await waiting({ seconds: 3600 })
    const send = (body?: string) => visitor.send('POST', asked.path, body, { 'Content-Type': 'application/json' })
    const wrong = await send('{')
    expect([wrong.status, wrong.body.errorMessage]).toEqual([400, 'The body must be JSON.'])
    expect((await send(JSON.stringify('x'.repeat(1_048_576)))).status).toBe(413)
    expect((await send()).status).toBe(200)
    expect(await resultOf(asked)).toMatchObject({ outcome: 'resumed', data: null })
  })

  it('is unknown with another token, and gone when the run was stopped', async () => {
    const asked = await waiting({ seconds: 3600 })
    expect((await visitor.post(asked.path.replace(/.{6}$/, 'AAAAAA'), {})).status).toBe(404)
    await client.get(`/api/StopWorkflowRun/${asked.id}?runNumber=1`)
    expect((await visitor.post(asked.path, {})).status).toBe(410)
  })

  it('is stored as a hash, and in no line of the log', async () => {
    const asked = await waiting({ seconds: 3600 })
    await visitor.post(asked.path, {})
    const secret = asked.path.split('_').at(-1) as string
    expect(service.logText()).not.toContain(secret)
    expect(await service.asOwner('select from resume_links t where strpos(t::text, $1) > 0', [secret])).toEqual([])
  })

  it('is null in a partial run, and absent where nothing waits', async () => {
    const script = 'return { url: run.resumeUrl, isThere: "resumeUrl" in run }'
    const workflow = await deployWorkflow(client, [{ script, flow: { wait: { seconds: 0 } } }, { script }])
    await runToEnd(client, workflow.id, { runTillBlock: 2 })
    expect((await blockResult(client, workflow, 1)).body.result.prepared).toEqual({ url: null, isThere: true })
    expect((await blockResult(client, workflow, 2)).body.result.isThere).toBe(false)
  })
})
