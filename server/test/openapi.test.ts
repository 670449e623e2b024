// The document as others see it: a validator, a linter, and requests that the service takes.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { features, type OperationSpec, operations, records } from '@patchbay/contract'
import { Compile } from 'typebox/compile'
import { describe, expect, it } from 'vitest'
import { openApiDocument, validator } from '../src/http/index.ts'

const document = openApiDocument(operations, records, 'http://127.0.0.1:8080') as unknown as Described
const all: OperationSpec[] = Object.values(operations)

type Media = { schema: object; example?: unknown }
type Operation = {
  operationId: string
  tags: string[]
  parameters: { name?: string; in?: string; $ref?: string }[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { $ref?: string; headers?: Record<string, object>; content?: Record<string, Media> }>
}
type Described = {
  paths: Record<string, Record<string, Operation>>
  tags: { name: string }[]
  components: { schemas: Record<string, object> }
}

const described = Object.values(document.paths).flatMap((path) => Object.values(path))
const find = (name: string) => described.find(({ operationId }) => operationId === name) as Operation

const bodyOf = (name: string) => find(name).requestBody?.content['application/json'] as Media
const answerOf = (name: string) => find(name).responses['200']?.content?.['application/json'] as Media

/** A schema of the document with everything it refers to, for a validator that knows no other place. */
function standAlone(schema: object): object {
  const text = JSON.stringify({ ...schema, $defs: document.components.schemas })
  return JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/')) as object
}

describe('the OpenAPI document', () => {
  it('has no warning of redocly lint', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'patchbay-openapi-'))
    try {
      const file = join(folder, 'openapi.json')
      await writeFile(file, JSON.stringify(document))
      const program = fileURLToPath(import.meta.resolve('@redocly/cli/bin/cli.js'))
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [program, 'lint', '--extends', 'recommended', '--format', 'json', file],
        { env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' } },
      )
      const { totals, problems } = JSON.parse(stdout.slice(stdout.indexOf('{')))
      expect({ totals, problems }).toEqual({ totals: { errors: 0, warnings: 0, ignored: 0 }, problems: [] })
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('groups every operation under one chapter, and no chapter is empty', () => {
    expect(document.tags.map(({ name }) => name)).toEqual(Object.keys(features))
    expect(new Set(described.flatMap(({ tags }) => tags))).toEqual(new Set(Object.keys(features)))
    expect(described.every(({ tags }) => tags.length === 1)).toBe(true)
  })

  it.each([
    ['ApiAuth', 'AppKey'],
    ['ApiAppVault', 'AppKey'],
    ['ApiGet', 'AppKey'],
    ['ApiPost', 'AppKey'],
    ['ApiSend', 'AppKey'],
    ['WorkflowUpdate', 'If-Match'],
    ['Stream', 'Last-Event-ID'],
    ['GetMetaData', 'If-None-Match'],
  ])('%s names the header %s', (name, header) => {
    expect(find(name).parameters).toContainEqual(expect.objectContaining({ name: header, in: 'header' }))
  })

  it.each([
    ['RunWorkflow', 'X-Run-Number'],
    ['RetryRun', 'X-Run-Number'],
    ['Workflow', 'ETag'],
    ['WorkflowUpdate', 'ETag'],
    ['SignIn', 'Set-Cookie'],
    ['Workflows', 'X-Request-Id'],
    ['Workflows', 'RateLimit-Remaining'],
  ])('%s answers with the header %s', (name, header) => {
    expect(find(name).responses['200']?.headers).toHaveProperty(header)
  })

  it('refers to named schemas, so that a record is described once', () => {
    const text = JSON.stringify(find('Workflow'))
    expect(text).toContain('#/components/schemas/WorkflowApiDto')
    expect(text).not.toContain('isCustomizedStructure":{')
    for (const name of Object.keys(records)) expect(document.components.schemas).toHaveProperty(name)
  })

  it('gives no default to a field that is required', () => {
    const wrong = described.flatMap(({ operationId, requestBody }) =>
      Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => {
        const { properties = {}, required = [] } = schema as {
          properties?: Record<string, object>
          required?: string[]
        }
        return required.filter((name) => 'default' in (properties[name] ?? {})).map((name) => `${operationId}.${name}`)
      }),
    )
    expect(wrong).toEqual([])
  })

  it.each(['active', 'Active', 'ACTIVE', 'aCTIVE'])('takes the state %s in a request as the service does', (state) => {
    const body = { accountState: [state] }
    expect(Compile(standAlone(bodyOf('AccountsSearch').schema)).Check(body)).toBe(true)
    expect(() => validator(operations.AccountsSearch.body, 'body')(body)).not.toThrow()
  })

  it('refuses an unknown state in a request, and another case in an answer', () => {
    expect(Compile(standAlone(bodyOf('AccountsSearch').schema)).Check({ accountState: ['asleep'] })).toBe(false)
    const state = document.components.schemas['AccountState'] as object
    expect([Compile(state).Check('active'), Compile(state).Check('Active')]).toEqual([true, false])
  })
})

describe('examples', () => {
  it.each(all.filter((spec) => spec.body && spec.bodyType !== 'multipart').map((spec) => [spec.name, spec] as const))(
    'of the body of %s is one that the service takes',
    (name, spec) => {
      const { schema, example } = bodyOf(name)
      expect(() => validator(spec.body as never, 'body')(example)).not.toThrow()
      expect(Compile(standAlone(schema)).Check(example)).toBe(true)
    },
  )

  it.each(all.filter((spec) => spec.answers[200]).map((spec) => [spec.name, spec] as const))(
    'of the answer of %s is one that the service could give',
    (name, spec) => {
      const { schema, example } = answerOf(name)
      expect(Compile(spec.answers[200] as never).Check(example)).toBe(true)
      expect(Compile(standAlone(schema)).Check(example)).toBe(true)
    },
  )
})
