// Everything in the audit log that no operation names: pages, the operator's commands, the service itself, and operations on a second way.
import { auditActions, type OperationSpec, operations } from '@patchbay/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startHttpTarget } from '../harness/http-target.ts'
import { startOAuthProvider } from '../harness/oauth-provider.ts'
import { startService } from '../harness/service.ts'
import type { Deed, Surroundings } from './audited-changes/deed.ts'
import { deedsOfConnections } from './audited-changes/deeds-of-connections.ts'
import { deedsOfPeople } from './audited-changes/deeds-of-people.ts'
import { deedsOfWorkflows } from './audited-changes/deeds-of-workflows.ts'
import { newestRow, rowsAfter } from './audited-changes/rows.ts'

/** It takes two cells, which process/move-organization.test.ts has. */
const watchedElsewhere = ['organization.moved']

/** Filled before the first deed is prepared. */
const at = {} as Surroundings
const deeds: Deed[] = [...deedsOfPeople(at), ...deedsOfConnections(at), ...deedsOfWorkflows(at)]
beforeAll(async () => {
  at.service = await startService({ env: { PATCHBAY_LOG_LEVEL: 'error' } })
  at.target = await startHttpTarget()
  at.provider = await startOAuthProvider(`${at.service.baseUrl}/oauth/callback`)
})
afterAll(async () => {
  await at.service[Symbol.asyncDispose]()
  await at.provider[Symbol.asyncDispose]()
  await at.target[Symbol.asyncDispose]()
})

describe('the audit log', () => {
  it.each(deeds)('has $action, once, after: $name', async ({ action, prepare }) => {
    const act = await prepare()
    const before = await newestRow(at.service)
    const { target, actor, also = [] } = await act()
    const rows = await rowsAfter(at.service, before)
    expect(rows.filter((row) => row.action === action)).toEqual([{ action, target, ...actor }])
    expect(rows.map((row) => row.action).filter((one) => one !== action)).toEqual(also)
  })

  it('has no action that nothing is seen to write', () => {
    const ofOperations = Object.values(operations as Record<string, OperationSpec>).flatMap(({ audit }) => audit ?? [])
    const watched = new Set<string>([...ofOperations, ...deeds.map(({ action }) => action), ...watchedElsewhere])
    expect(auditActions.filter((action) => !watched.has(action))).toEqual([])
  })
})
