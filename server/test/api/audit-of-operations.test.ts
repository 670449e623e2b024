// Generated from the contract: each operation that names an action in the audit log writes exactly that row, and no other writes any.
import { type AuditAction, type OperationName, type OperationSpec, operations } from '@patchbay/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Schema, valid } from '../harness/from-schema.ts'
import { type GraphServer, startGraphServer } from '../harness/graph-server.ts'
import { Random } from '../harness/random.ts'
import { seedEverything } from '../harness/seed-everything.ts'
import { startService, type TestService } from '../harness/service.ts'
import { upgradeIn } from '../harness/upgrades.ts'
import { auditedChanges, graphApps } from './audited-changes/index.ts'
import { newestRow, rowsAfter } from './audited-changes/rows.ts'

const specs = Object.entries(operations as Record<string, OperationSpec>) as [OperationName, OperationSpec][]
const actionsOf = ({ audit }: OperationSpec): readonly AuditAction[] => (audit ? [audit].flat() : [])
const changes = specs.flatMap(([name, spec]) => actionsOf(spec).map((action) => [name, action] as const))
/** A stream has no end, and is opened by tests of its own. */
const silent = specs.filter(([name, spec]) => actionsOf(spec).length === 0 && name !== 'Stream')

let service: TestService
let graph: GraphServer
let ids: string[]
beforeAll(async () => {
  graph = await startGraphServer()
  graph.apps.set(graphApps.connector.clientId, { secret: graphApps.connector.secret, roles: ['Sites.Selected'] })
  graph.apps.set(graphApps.admin.clientId, {
    secret: graphApps.admin.secret,
    roles: ['Sites.FullControl.All', 'Application.Read.All'],
  })
  graph.addSite(graphApps.sitePath)
  service = await startService({ env: { PATCHBAY_LOG_LEVEL: 'error' } })
  ids = await seedEverything(service, service.manager, service.firstAccount)
  // Whatever it began is over, so that every later row is a request's own.
  const [upgradeId] = ids.slice(-1)
  await upgradeIn(service.manager, upgradeId ?? '', 'Completed')
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await graph[Symbol.asyncDispose]()
})

describe('the audit log of an operation', () => {
  it.each(changes)('%s writes %s, once', async (name, action) => {
    const prepare = auditedChanges(service, graph)[name]?.[action]
    expect(prepare, `audited-changes does not make the change ${action} of ${name}`).toBeDefined()
    const request = await prepare!()
    const before = await newestRow(service)
    const answer = await request()
    expect(answer.status, answer.text).toBe(200)
    const [row, ...others] = await rowsAfter(service, before)
    const actor = { accountId: service.firstAccount.accountId, managedAccountId: null, address: '127.0.0.1' }
    expect(row).toMatchObject({ action, ...actor })
    expect(`${request.about} ${answer.text}`).toContain(row?.target)
    expect(others.map((other) => other.action)).toEqual(request.also ?? [])
  })

  it.each(silent)('%s writes nothing', async (_name, spec) => {
    const random = new Random(1)
    const made = (schema: unknown) => (schema ? valid(schema as Schema, random, ids) : {}) as Record<string, unknown>
    const before = await newestRow(service)
    for (let time = 0; time < 4; time++) {
      const params = made(spec.params)
      const path = spec.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])))
      const body = spec.body ? JSON.stringify(spec.example?.body ?? made(spec.body)) : undefined
      const answer = await service.manager.send(spec.method, path, body)
      expect(answer.status, answer.text).not.toBe(500)
    }
    expect(await rowsAfter(service, before)).toEqual([])
  })
})
