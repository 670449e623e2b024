import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { Database } from '../../src/db/index.ts'
import { KeyRing, MasterKeys } from '../../src/secrets/index.ts'
import { findDefinition, type WorkflowDefinition } from '../../src/workflows/index.ts'
import type { Client } from '../harness/client.ts'
import type { TestService } from '../harness/service.ts'

/** Shipped templates and the ids of their blocks. */
export const helloWorld = {
  id: '844b0939-5da5-5bd6-b7dd-262d54126bc6',
  employees: 'f29c3486-177b-5543-9788-f8855642a924',
  greet: 'f5538569-4483-5cbe-b125-62091b821f48',
}
export const webhookToSlack = { id: '887335f8-08f3-5401-b10b-1f2349142b87' }
export const employeesToDirectory = {
  id: '65417d36-c351-5496-83dd-e51f96e85d2e',
  users: '28c0db8e-1c5d-5c94-9203-ecb66006c973',
}
export const listOrdersTemplate = 'bab078bf-9220-538d-8d52-be048c4f3645'
export const listEmployeesTemplate = '59f8d173-f166-5344-b321-bd4b42023ee5'
export const postMessageTemplate = 'fc5ef066-db6f-5174-bd6b-47c8aae63f70'
export const testApplicationId = 'f3055934-bffe-55b6-b9e5-ce20a3a8563b'

export const blockA = 'aaaaaaaa-0000-4000-8000-000000000001'
export const blockB = 'aaaaaaaa-0000-4000-8000-000000000002'
export const blockC = 'aaaaaaaa-0000-4000-8000-000000000003'
export const nobody = 'aaaaaaaa-0000-4000-8000-00000000ffff'

/** A custom workflow of three blocks, a -> b -> c, with variables of several types. */
export function customBody(rest: object = {}) {
  return {
    name: 'Three blocks',
    description: 'Made by a test',
    variables: { count: 1, who: { value: 'world' }, isOn: true, extra: { a: [1, null] } },
    chain: [
      { uniqueBlockId: blockA, blockName: 'First', script: 'return 1' },
      {
        uniqueBlockId: blockB,
        blockName: 'Second',
        script: 'return Datasource[0] + 1',
        dataSources: [blockA],
        variables: {
          own: { variableSource: 'Value', value: { deep: ['x'] } },
          who: { variableSource: 'Workflow', variableName: 'who' },
        },
      },
      { uniqueBlockId: blockC, blockName: 'Third', script: 'return null', dataSources: [blockB, blockA] },
    ],
    ...rest,
  }
}

export async function create(client: Client, body: object = customBody()): Promise<string> {
  const answer = await client.post('/api/Workflow', body)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

export async function read(client: Client, id: string, query = '') {
  const answer = await client.get(`/api/Workflow/${id}${query}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

export async function change(client: Client, id: string, body: unknown): Promise<void> {
  const answer = await client.post(`/api/Workflow/${id}`, body)
  expect(answer.status, answer.text).toBe(200)
  expect(answer.text).toBe('')
}

/** Refused with 400 and words that say why; and nothing was changed. */
export async function refuseChange(client: Client, id: string, body: unknown, words: string | RegExp): Promise<void> {
  const before = await read(client, id)
  const answer = await client.post(`/api/Workflow/${id}`, body)
  expect(answer.status, answer.text).toBe(400)
  expect(answer.body).toEqual({ code: 400, errorMessage: expect.stringMatching(words), response: null })
  expect(await read(client, id)).toEqual(before)
}

export async function refuseCreate(client: Client, body: unknown, words: string | RegExp, status = 400): Promise<void> {
  const answer = await client.post('/api/Workflow', body)
  expect(answer.status, answer.text).toBe(status)
  expect(answer.body).toEqual({ code: status, errorMessage: expect.stringMatching(words), response: null })
}

/** The workflow as a run would read it, passwords open. */
export async function definitionForRuns(
  service: TestService,
  id: string,
  revision?: number,
): Promise<WorkflowDefinition | undefined> {
  await using database = new Database({ connectionString: service.databaseUrl }, () => {})
  const base64 = readFileSync(join(service.dataDir, 'master.key'), 'utf8')
  const keyRing = await KeyRing.load(database, new MasterKeys({ kind: 'value', base64 }))
  const rows = await service.asOwner('select account_id from workflows where id = $1', [id])
  return await findDefinition({ database, keyRing }, rows[0]?.['account_id'] as string, id, revision)
}
