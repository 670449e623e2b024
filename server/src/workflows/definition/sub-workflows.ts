// Workflows that run others: whom they may name, and that none runs itself in the end.

import type { Queryable, Tx } from '../../db/index.ts'
import { nameBlock } from '../../engine/chain/chain.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Definition } from './definition.ts'
import { refuseFor } from './refuse.ts'
import { findCircle, holdWorkflows, listUsers, lockCalls } from './sub-workflow-store.ts'

export function callsOthers({ chain }: Definition): boolean {
  return chain.some(({ subWorkflow }) => subWorkflow)
}

/**
 * Two changes that make a circle only together must see each other. Whoever stores several workflows asks for this before it locks the first of them.
 */
export async function lockWhereCalling(tx: Tx, accountId: string, definition: Definition): Promise<void> {
  if (callsOthers(definition)) await lockCalls(tx, accountId)
}

/** Those that it names stay until the transaction ends. One of another account looks like one that does not exist. */
export async function holdSubWorkflows(tx: Queryable, accountId: string, definition: Definition): Promise<void> {
  const calls = definition.chain.flatMap((block) => {
    const workflowId = block.subWorkflow?.workflowId?.toLowerCase()
    return workflowId === undefined ? [] : [{ block, workflowId }]
  })
  if (calls.length === 0) return
  const held = await holdWorkflows(tx, accountId, [...new Set(calls.map(({ workflowId }) => workflowId))])
  refuseFor(
    'workflow_invalid',
    calls
      .filter(({ workflowId }) => !held.has(workflowId))
      .map(({ block, workflowId }) => ({
        message: `The subWorkflow of block ${nameBlock(block)} names ${workflowId}, but the account has no such workflow.`,
      })),
  )
}

/** Asked after its uses were stored. */
export async function refuseCircle(tx: Queryable, accountId: string, workflowId: string): Promise<void> {
  const names = await findCircle(tx, accountId, workflowId)
  if (!names) return
  const path = names.map((name) => `"${name}"`).join(' → ')
  refuseFor('workflow_not_deployable', [{ message: `The workflow would run itself as a sub-workflow: ${path}.` }])
}

/** Those that are archived do not count. */
export async function refuseWhileUsed(db: Queryable, accountId: string, workflowId: string): Promise<void> {
  const users = await listUsers(db, accountId, workflowId)
  if (users.length === 0) return
  const message = `Other workflows run it as a sub-workflow: ${users.join(', ')}.`
  throw new AppError('workflow_in_use', message)
}
