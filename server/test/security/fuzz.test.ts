// Random requests made from the OpenAPI document: no answer may be a 5xx, an undocumented status, or a body that breaks its schema.
import { Compile } from 'typebox/compile'
import { describe, expect, it } from 'vitest'
import { createAccount } from '../harness/accounts.ts'
import type { Answer, Client } from '../harness/client.ts'
import { type Schema, spoiled, valid } from '../harness/from-schema.ts'
import { dereferenced } from '../harness/open-api.ts'
import { proofRandom, proofSize } from '../harness/proof-size.ts'
import type { Random } from '../harness/random.ts'
import { seedEverything } from '../harness/seed-everything.ts'
import { startService } from '../harness/service.ts'

type Parameter = { name: string; in: 'path' | 'query' | 'header'; schema: Schema }
type Operation = {
  operationId: string
  method: string
  path: string
  parameters: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { content?: Record<string, { schema: object }> }>
}

const requests = proofSize('REQUESTS', { small: 3000, large: 100_000 })
const atOnce = 16
// These would shut out the very accounts that ask, or call addresses outside this machine; each has tests of its own.
const leftOut = ['SignIn', 'SignOut', 'AccountState', 'DocumentLibraryGrant']

describe(`${requests} random requests from the OpenAPI document`, () => {
  it(
    'never get a 5xx, an undocumented status or a body that breaks its schema',
    async () => {
      const random = proofRandom()
      await using service = await startService({ env: { PATCHBAY_LOG_LEVEL: 'error' } })
      const user = await createAccount(service, service.manager, 'User')
      const ids = [
        ...(await seedEverything(service, service.manager, service.firstAccount)),
        ...(await seedEverything(service, user.client, { ...service.firstAccount, accountId: user.id })),
      ]
      const document = dereferenced((await service.client(undefined).get('/openapi.json')).body)
      const operations = readOperations(document).filter((operation) => !leftOut.includes(operation.operationId))
      const fits = checker()
      const faults: string[] = []
      const counts: Record<string, number> = {}
      let left = requests

      const worker = async (client: Client) => {
        while (left-- > 0) {
          const operation = random.pick(operations)
          const { path, body, headers } = compose(operation, random, ids)
          const send = () => client.send(operation.method.toUpperCase(), path, body, headers)
          let answer = await send()
          // Busy, as a starved machine may be: documented, and no fault unless it stays so.
          for (let tries = 0; answer.status === 503 && answer.headers.has('retry-after') && tries < 20; tries++) {
            counts[503] = (counts[503] ?? 0) + 1
            await new Promise((done) => setTimeout(done, 1_000))
            answer = await send()
          }
          counts[answer.status] = (counts[answer.status] ?? 0) + 1
          const said = `${operation.operationId} ${path} ${body ?? ''} -> ${answer.status} ${answer.text.slice(0, 300)}`
          if (answer.status >= 500) faults.push(`5xx: ${said}`)
          else if (!(answer.status in operation.responses)) faults.push(`undocumented: ${said}`)
          else if (
            !isOtherContent(operation, answer) &&
            !fits(operation, answer.status, answer.text === '' ? undefined : answer.body)
          )
            faults.push(`schema: ${said}`)
        }
      }
      await Promise.all(
        Array.from({ length: atOnce }, (_, index) => worker(index % 2 === 0 ? service.manager : user.client)),
      )
      console.log(JSON.stringify(counts))
      expect(faults.slice(0, 10)).toEqual([])
      // The run must have reached the inside: most of it refused would prove little.
      expect(counts[200] ?? 0).toBeGreaterThan(requests * 0.1)
      expect((await service.manager.get('/api/Authenticate')).status).toBe(200)
    },
    300_000 + requests * 60,
  )
})

/** Text of a type that the document names beside JSON. */
function isOtherContent(operation: Operation, answer: Answer): boolean {
  const type = answer.headers.get('content-type')?.split(';')[0] ?? ''
  return type !== 'application/json' && operation.responses[answer.status]?.content?.[type] !== undefined
}

function readOperations(document: { paths: Record<string, Record<string, object>> }): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method }) as Operation),
  )
}

function compose(operation: Operation, random: Random, ids: string[]) {
  const value = (schema: Schema) => (random.chance(0.8) ? valid(schema, random, ids) : spoiled(schema, random, ids))
  let path = operation.path
  const query = new URLSearchParams()
  const headers: Record<string, string> = {}
  for (const parameter of operation.parameters) {
    if (parameter.in === 'path')
      path = path.replace(`{${parameter.name}}`, encodeURIComponent(asText(value(parameter.schema))) || 'x')
    else if (parameter.in === 'query' && random.chance(0.8)) query.set(parameter.name, asText(value(parameter.schema)))
    else if (parameter.in === 'header' && random.chance(0.1))
      headers[parameter.name] = random.pick([...ids, 'nonsense'])
  }
  const schema = operation.requestBody?.content['application/json']?.schema
  let body = schema && JSON.stringify(value(schema))
  if (body !== undefined && random.chance(0.03)) body = random.pick(['', '{', '[]', 'null', '{"a":1,}', '\u0000'])
  const search = query.size > 0 ? `?${query}` : ''
  return { path: path + search, headers, body: operation.method === 'get' ? undefined : body }
}

function asText(value: unknown): string {
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 3000).toWellFormed()
}

function checker() {
  const compiled = new Map<string, { Check(value: unknown): boolean }>()
  return (operation: Operation, status: number, body: unknown): boolean => {
    const key = `${operation.operationId} ${status}`
    const schema = operation.responses[status]?.content?.['application/json']?.schema
    if (!schema) return body === undefined
    let check = compiled.get(key)
    if (!check) {
      check = Compile(schema as never)
      compiled.set(key, check)
    }
    return check.Check(body)
  }
}
