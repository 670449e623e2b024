// Clients in many languages write null for a field that they do not give.
import { type OperationSpec, operations, records } from '@patchbay/contract'
import { Compile } from 'typebox/compile'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiDocument, validator } from '../../src/http/index.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import { createWorkflow, deployWorkflow } from '../harness/workflows.ts'

type Shape = {
  type?: string
  anyOf?: Shape[]
  enum?: unknown[]
  properties?: Record<string, Shape>
  required?: string[]
}

const takesNull = (schema: Shape): boolean =>
  schema.anyOf?.some(takesNull) ?? (schema.enum === undefined && (schema.type === undefined || schema.type === 'null'))

const withBodies = (Object.values(operations) as OperationSpec[]).filter(
  (spec) => spec.body && spec.bodyType !== 'multipart',
)
const optionalOf = (spec: OperationSpec) => {
  const { properties = {}, required = [] } = spec.body as Shape
  return Object.keys(properties).filter((name) => !required.includes(name) && !takesNull(properties[name] as Shape))
}
const document = openApiDocument(operations, records, 'http://127.0.0.1:8080') as unknown as {
  paths: Record<
    string,
    Record<
      string,
      { operationId: string; requestBody?: { content: Record<string, { schema: object; example: object }> } }
    >
  >
  components: { schemas: object }
}

describe('an optional field of a body that is null', () => {
  const described = Object.values(document.paths).flatMap((path) => Object.values(path))

  it.each(withBodies.map((spec) => [spec.name, spec] as const))('counts as not given in %s', (name, spec) => {
    const media = described.find(({ operationId }) => operationId === name)?.requestBody?.content['application/json']
    const given = (media?.example ?? {}) as Record<string, unknown>
    const nulls = Object.fromEntries(optionalOf(spec).map((field) => [field, null]))
    const bare = Object.fromEntries(Object.entries(given).filter(([field]) => !(field in nulls)))
    const check = validator(spec.body as never, 'body')
    const asDescribed = Compile(
      JSON.parse(
        JSON.stringify({ ...media?.schema, $defs: document.components.schemas }).replaceAll(
          '#/components/schemas/',
          '#/$defs/',
        ),
      ),
    )
    expect(check({ ...bare, ...nulls })).toEqual(check(bare))
    expect(asDescribed.Check({ ...bare, ...nulls })).toBe(true)
  })

  it('is still refused where the field is required, and kept where null has a meaning', () => {
    expect(() => validator(operations.RunWorkflow.body, 'body')({ workflowId: null })).toThrow(/workflowId/)
    expect(validator(operations.ApiKeyUpdate.body, 'body')({ label: null, expiresDateTimeUTC: null })).toEqual({
      expiresDateTimeUTC: null,
    })
    expect(validator(operations.WorkflowCreate.body, 'body')({ applications: { TEST: null } })).toEqual({
      applications: { TEST: null },
    })
  })
})

describe('on the service', () => {
  let service: TestService
  let workflowId: string
  beforeAll(async () => {
    service = await joinService()
    workflowId = (await deployWorkflow(service.manager, ['return 1'])).id
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const paging = { page: null, size: null }
  it.each<[string, () => [string, Record<string, unknown>]]>([
    ['Applications', () => ['/api/Applications', { ...paging, searchTerm: null, includeLogo: null }]],
    ['Accounts', () => ['/api/Accounts', { ...paging, searchTerm: null, accountState: null, tags: null }]],
    [
      'RegApplications',
      () => ['/api/RegApplications', { ...paging, searchTerm: null, tags: null, isFaulted: null, appIds: null }],
    ],
    ['Workflows', () => ['/api/Workflows', { ...paging, searchTerm: null, workflowState: null, isScheduled: null }]],
    [
      'GetRunHistory',
      () => [
        `/api/GetRunHistory/${workflowId}`,
        {
          page: 0,
          size: 1,
          lockVersionNumber: null,
          status: null,
          searchFrom: null,
          searchTo: null,
          orderByAsc: null,
          orderField: null,
        },
      ],
    ],
    [
      'RunWorkflow',
      () => ['/api/RunWorkflow', { workflowId, webhookId: null, runFromBlock: null, runTillBlock: null }],
    ],
    [
      'WorkflowScheduler',
      () => ['/api/WorkflowScheduler', { workflowId, isScheduled: false, scheduleFrequency: null }],
    ],
    [
      'WebhookSettingsEnable',
      () => [
        `/api/WebhookSettingsEnable/${workflowId}`,
        { secret: null, ipRestriction: null, urlParameters: null, skipScript: null, isBatch: null, batchSize: null },
      ],
    ],
    ['GetWebhookQueue', () => [`/api/GetWebhookQueue/${workflowId}`, { ...paging, searchFrom: null, searchTo: null }]],
    [
      'ApiProxyEmail',
      () => [
        '/api/ApiProxyEmail',
        { subject: 'x', to: ['a@example.com'], body: 'x', cc: null, bcc: null, attachment: null },
      ],
    ],
    [
      'Account',
      () => [
        '/api/Account',
        {
          email: 'null@example.com',
          firstName: 'A',
          lastName: 'B',
          roleName: 'User',
          countryKey: null,
          activated: null,
        },
      ],
    ],
    ['ApiKey', () => ['/api/ApiKey', { label: null, ipRestriction: null, expiresDateTimeUTC: null }]],
    ['GetAuditLog', () => ['/api/GetAuditLog', { ...paging, searchFrom: null, searchTo: null }]],
    ['Overview', () => ['/api/Overview', { acrossAccounts: null }]],
    [
      'Workflow',
      () => ['/api/Workflow', { name: 'Nulls', description: null, chain: [{ script: 'return 1', dataSources: null }] }],
    ],
  ])('%s takes it', async (_name, request) => {
    const [path, body] = request()
    const answer = await service.manager.post(path, body)
    expect(answer.status, answer.text).toBe(200)
  })

  it('leaves what an update does not give as it was', async () => {
    const { id } = await createWorkflow(service.manager, ['return 1'], { description: 'kept', variables: { a: 1 } })
    const update = { name: null, description: null, chain: null, variables: { a: { value: 2, type: null } } }
    const answer = await service.manager.post(`/api/Workflow/${id}`, update)
    expect(answer.status, answer.text).toBe(200)
    expect((await service.manager.get(`/api/Workflow/${id}`)).body).toMatchObject({
      name: 'Sample',
      description: 'kept',
      variables: { a: { value: 2, type: 'number' } },
    })
  })
})
