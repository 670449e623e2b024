import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { holdLock } from '../harness/held-lock.ts'
import { startService, type TestService } from '../harness/service.ts'
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
  service = await startService()
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
    const ready = { status: 'Ready', startDateTimeUTC: timestamp, endDateTimeUTC: timestamp }
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

describe('deleting a workflow that runs', () => {
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
