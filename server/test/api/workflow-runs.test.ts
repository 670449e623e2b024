import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { holdLock } from '../harness/held-lock.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import {
  blockA,
  blockB,
  blockC,
  change,
  create,
  customBody,
  helloWorld,
  postMessageTemplate,
  read,
  refuseChange,
  testApplicationId,
} from './workflow-samples.ts'

let service: TestService
let client: Client
beforeAll(async () => {
  service = await joinService()
  client = (await createAccount(service, service.manager, 'User')).client
})
afterAll(() => service[Symbol.asyncDispose]())

async function registerTest(who = client): Promise<string> {
  const answer = await who.post('/api/RegApplication', {
    applicationId: testApplicationId,
    tagText: 'test service',
    credentialsJson: '{}',
  })
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

async function deploy(id: string): Promise<void> {
  const answer = await client.get(`/api/DeployWorkflow/${id}`)
  expect(answer.status, answer.text).toBe(200)
}

/** Runs the workflow to its end and returns the number of the run. */
async function run(id: string): Promise<number> {
  const answer = await client.post('/api/RunWorkflow', { workflowId: id })
  expect(answer.status, answer.text).toBe(200)
  const runNumber = Number(answer.headers.get('x-run-number'))
  await eventually(async () => {
    const { body } = await client.post(`/api/GetRunHistory/${id}`, { page: 0, size: 1, lockVersionNumber: runNumber })
    return body.items[0]?.endDateTimeUTC !== null
  })
  return runNumber
}

const timestamp = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T.*Z$/)

describe('GET /api/Workflow/{id}?runNumber=', () => {
  it('shows scripts, values and names as they were at that run, with the run and how each block ended', async () => {
    const id = await create(client)
    await deploy(id)
    const first = await run(id)
    const before = await read(client, id)
    await change(client, id, {
      name: 'Changed',
      variables: { who: 'moon' },
      chain: [
        { uniqueBlockId: blockB, script: 'throw new Error("no")' },
        { blockName: 'Last', script: 'return 9', dataSources: [blockC] },
      ],
    })
    const second = await run(id)

    const then = await read(client, id, `?runNumber=${first}`)
    expect(then).toMatchObject({ name: 'Three blocks', variables: { who: { value: 'world' } } })
    expect(then.run).toMatchObject({ lockVersionNumber: first, status: 'Ready', runBy: 'API' })
    const ready = {
      status: 'Ready',
      startDateTimeUTC: timestamp,
      endDateTimeUTC: timestamp,
      tries: 1,
      childRun: null,
    }
    expect(then.chain).toEqual(before.chain.map((block: object) => ({ ...block, ...ready })))

    const later = await read(client, id, `?runNumber=${second}`)
    expect(later).toMatchObject({ name: 'Changed', variables: { who: { value: 'moon' } }, run: { status: 'Error' } })
    expect(later.chain.map((block: { status: string }) => block.status)).toEqual([
      'Ready',
      'Error',
      'Skipped',
      'Skipped',
    ])
    expect(later.chain[3]).toMatchObject({ startDateTimeUTC: null, endDateTimeUTC: null })
    expect(later).toMatchObject({ lastRunNumber: second, lastRunStatus: 'Error' })

    const now = await read(client, id)
    expect(now.run).toBeUndefined()
    expect(now.chain[0].status).toBeUndefined()
    const unknown = await client.get(`/api/Workflow/${id}?runNumber=${second + 1}`)
    expect(unknown.status).toBe(404)
  })

  it('can be posted back: the workflow is then what it was at that run', async () => {
    const id = await create(client)
    await deploy(id)
    const first = await run(id)
    const before = await read(client, id)
    await change(client, id, { name: 'Changed', chain: [{ uniqueBlockId: blockA, script: 'return 2' }] })
    await change(client, id, await read(client, id, `?runNumber=${first}`))
    const after = await read(client, id)
    expect({ ...after, modifyDateTimeUTC: '' }).toEqual({ ...before, modifyDateTimeUTC: '', revision: 3 })
  })
})

describe('registered applications of a workflow', () => {
  it('a template workflow is deployed with its application mapped, and runs', async () => {
    const regApp = await registerTest()
    const id = await create(client, { workflowTemplateId: helloWorld.id, applications: { test: regApp } })
    await deploy(id)
    const number = await run(id)
    expect((await read(client, id, `?runNumber=${number}`)).run).toMatchObject({ status: 'Ready', errorMessage: null })
    const refused = await client.get(`/api/DeleteRegApplication/${regApp}`)
    expect(refused.status).toBe(400)
    expect(refused.body.errorMessage).toContain(id)
    await refuseChange(client, id, { applications: { TEST: null } }, 'The application TEST is not mapped')
    expect((await client.get(`/api/ArchiveWorkflow/${id}`)).body).toBe(true)
    expect((await client.get(`/api/DeleteRegApplication/${regApp}`)).body).toBe(true)
  })

  it('another application of the account, or one of another account, does not do', async () => {
    const regApp = await registerTest()
    const other = await createAccount(service, service.manager, 'User')
    const foreign = await registerTest(other.client)
    const id = await create(client, {
      name: 'Wrong',
      variables: { where: 'here' },
      applications: { SLACK: regApp, TEST: foreign },
      chain: [
        {
          blockTemplateId: postMessageTemplate,
          variables: { channel: { variableSource: 'Workflow', variableName: 'where' } },
        },
      ],
    })
    const answer = await client.get(`/api/DeployWorkflow/${id}`)
    expect(answer.status).toBe(400)
    for (const words of [
      `The application Slack is mapped to ${regApp}, which is a registered application of TEST.`,
      `The application TEST is mapped to ${foreign}, which is not a registered application of this account.`,
    ]) {
      expect(answer.body.errorMessage).toContain(words)
    }
  })
})

describe('a registered application that a workflow needs', () => {
  it.each([
    ['as it is', {}],
    ['up to a block', { runTillBlock: 1 }],
    ['from a block', { runFromBlock: 1 }],
  ])('must be authenticated for a run that is asked for %s', async (_name, more) => {
    const regApp = await registerTest()
    const id = await create(client, { workflowTemplateId: helloWorld.id, applications: { TEST: regApp } })
    await deploy(id)
    await run(id)
    // As if the person who had given access took it back.
    await service.asOwner('update registered_applications set is_authenticated = false where id = $1', [regApp])
    const answer = await client.post('/api/RunWorkflow', { workflowId: id, ...more })
    expect([answer.status, answer.body.errorMessage]).toEqual([
      400,
      'The workflow needs registered applications that are missing or not authenticated: TEST.',
    ])
    const { body } = await client.post(`/api/GetRunHistory/${id}`, { page: 0, size: 10 })
    expect(body.total).toBe(1)
  })

  it('is either given to a workflow or deleted at the same moment, never both', async () => {
    const id = await create(client, { workflowTemplateId: helloWorld.id, applications: { TEST: await registerTest() } })
    const idle = await create(client, customBody())
    await deploy(id)
    for (let round = 0; round < 10; round++) {
      const given = await registerTest()
      const workflowId = round % 2 === 0 ? id : idle
      const give = client.post(`/api/Workflow/${workflowId}`, { applications: { TEST: given } })
      const [giving, removing] = await Promise.all([give, client.get(`/api/DeleteRegApplication/${given}`)])
      expect([giving.status, removing.status].sort(), `${giving.text} ${removing.text}`).toEqual([200, 400])
      const shown = (await read(client, workflowId)).applications.TEST
      expect(shown === given).toBe(giving.status === 200)
      const deleted = await client.post('/api/Workflow', customBody({ applications: { TEST: given } }))
      expect(deleted.status, deleted.text).toBe(giving.status)
    }
  })
})

describe('deleting a workflow that runs', () => {
  it.each([
    ['sleeps', 'await sleep(2500)'],
    ['does not come to its end', 'for (;;) {}'],
  ])('ends its block that %s first, and nothing of it happens after the answer', async (_name, middle) => {
    const key = `marks-${middle.length}`
    const accountId = (await client.get('/api/Authenticate')).body.myAccount.id
    const script = `await myVault.setGlobal('${key}', 1); ${middle}; await myVault.setGlobal('${key}-after', 1)`
    const id = await create(client, customBody({ chain: [{ script }] }))
    await deploy(id)
    expect((await client.post('/api/RunWorkflow', { workflowId: id })).status).toBe(200)
    const holds = async (name: string) => (await client.get(`/api/MyVaultContainsGlobal/${accountId}/${name}`)).body
    await eventually(async () => (await holds(key)) === true)
    const answer = await client.get(`/api/DeleteWorkflow/${id}`)
    expect([answer.status, answer.body]).toEqual([200, true])
    expect(await service.asOwner('select 1 from runs where workflow_id = $1', [id])).toEqual([])
    // Another run is the clock: it sleeps for longer than the first one would have.
    const clock = await create(client, customBody({ chain: [{ script: 'await sleep(3000)' }] }))
    await deploy(clock)
    await run(clock)
    expect(await holds(`${key}-after`)).toBe(false)
  })

  it('takes the run along, and no worker writes about it any more', async () => {
    const id = await create(client, customBody({ chain: [{ script: 'await sleep(2000); return 1' }] }))
    await deploy(id)
    const started = await client.post('/api/RunWorkflow', { workflowId: id })
    expect(started.status, started.text).toBe(200)
    const answer = await client.get(`/api/DeleteWorkflow/${id}`)
    expect([answer.status, answer.body]).toEqual([200, true])
    expect((await client.post(`/api/GetRunHistory/${id}`, { page: 0, size: 1 })).status).toBe(404)
    expect(await service.asOwner('select 1 from runs where workflow_id = $1', [id])).toEqual([])
  })

  it('leaves nothing of runs that start and end at the same moment', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await create(client, customBody({ chain: [{ script: 'return 1' }] }))
      await deploy(id)
      const answers = await Promise.all([
        client.post('/api/RunWorkflow', { workflowId: id }),
        client.post('/api/RunWorkflow', { workflowId: id }),
        client.get(`/api/DeleteWorkflow/${id}`),
        client.post('/api/RunWorkflow', { workflowId: id }),
      ])
      expect(answers[2]?.status, answers[2]?.text).toBe(200)
      for (const index of [0, 1, 3]) expect([200, 404], answers[index]?.text).toContain(answers[index]?.status)
      expect(await service.asOwner('select 1 from runs where workflow_id = $1', [id])).toEqual([])
    }
  })

  it('takes along a run that starts meanwhile, and ends while the workflow goes', async () => {
    const id = await create(client, customBody({ chain: [{ script: 'return 1' }] }))
    await deploy(id)
    await service.asOwner(
      "insert into tags (organization_id, entity_type, entity_id, value) select organization_id, 'workflow', id, 'x' from workflows where id = $1",
      [id],
    )
    const hold = (statement: string) => holdLock(service.databaseUrl, statement, [id])
    // The server looks for a circle once per wait, a second after it began: the end of the run has to wait for longer before the circle closes.
    const waits = (count: number, ms: number) =>
      eventually(async () => {
        const those = await service.asOwner(
          `select from pg_locks l join pg_stat_activity a using (pid)
          where a.datname = current_database() and not l.granted and l.waitstart < clock_timestamp() - $1 * interval '1 ms'`,
          [ms],
        )
        return those.length >= count
      })
    await using workflow = await hold('select from workflows where id = $1 for no key update')
    await using tag = await hold('select from tags where entity_id = $1 for update')
    const deleting = client.get(`/api/DeleteWorkflow/${id}`)
    await waits(1, 0)
    const started = await client.post('/api/RunWorkflow', { workflowId: id })
    expect(started.status, started.text).toBe(200)
    await waits(2, 0)
    await workflow.release()
    await waits(2, 2000)
    await tag.release()
    const answer = await deleting
    expect([answer.status, answer.body], answer.text).toEqual([200, true])
    expect(await service.asOwner('select 1 from runs where workflow_id = $1', [id])).toEqual([])
  })

  it('gives up when somebody holds the workflow for more than ten seconds, and says so', async () => {
    const id = await create(client)
    await using held = await holdLock(service.databaseUrl, 'select from workflows where id = $1 for update', [id])
    const answer = await client.get(`/api/DeleteWorkflow/${id}`)
    expect([answer.status, answer.body.errorMessage]).toEqual([
      503,
      'Other requests keep the database busy. Try again.',
    ])
    await held.release()
    expect((await client.get(`/api/DeleteWorkflow/${id}`)).body).toBe(true)
  })
})
