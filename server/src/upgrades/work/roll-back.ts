import type { Tx } from '../../db/index.ts'
import { loadWorkflows, type NewRevision, sealRevisions, storeRevisions } from '../../workflows/index.ts'
import { endUpgraded, listUpgraded, type Return, type UpgradedItem } from '../item-store.ts'
import type { UpgradeDeps } from '../ports.ts'
import { changing, findUpgrade, holding, type Upgrade, updateState } from '../store.ts'
import { actorFor } from './actor.ts'

const changedAtOnce = 50
const attemptsMax = 5

/** Every workflow that the upgrade changed and nobody else has changed since. */
export async function rollBackAll(deps: UpgradeDeps, upgrade: Upgrade, signal: AbortSignal): Promise<void> {
  let after: string | undefined
  const isMine = (now: Upgrade | undefined) =>
    now?.state === 'Running' && now.isRollingBack && now.turn === upgrade.turn
  for (;;) {
    signal.throwIfAborted()
    const items = await listUpgraded(deps.database.system, upgrade.id, after, changedAtOnce)
    if (items.length === 0) break
    const isDone = await rollBackItems(deps, upgrade, items, {
      message: ({ revisionBefore }) =>
        `The whole upgrade was rolled back, this workflow to revision ${revisionBefore}.`,
      begin: async (tx) => isMine(await findUpgrade(tx, upgrade.id, holding)),
    })
    if (!isDone) return
    after = items.at(-1)?.workflowId
  }
  await deps.database.system.transaction(async (tx) => {
    if (!isMine(await findUpgrade(tx, upgrade.id, changing))) return
    await updateState(tx, upgrade.id, { state: 'RolledBack', isRollingBack: false })
  })
}

export type RollBack = {
  message(item: UpgradedItem): string
  /** The first thing in the transaction. False: it is not wanted any more. */
  begin(tx: Tx): Promise<boolean>
  /** The last thing in it, with how many workflows went back. */
  end?(tx: Tx, count: number): Promise<void>
}

/** False when it is not wanted any more. */
export async function rollBackItems(
  deps: UpgradeDeps,
  upgrade: Upgrade,
  items: readonly UpgradedItem[],
  rollBack: RollBack,
): Promise<boolean> {
  let waiting = items
  for (let attempt = 1; waiting.length > 0; attempt++) {
    const { revisions, kept } = await prepare(deps, upgrade, waiting)
    const sealed = await sealRevisions(deps.keyRing, revisions)
    const lost = await deps.database.system.transaction(async (tx) => {
      if (!(await rollBack.begin(tx))) return undefined
      const stored = await storeRevisions(tx, sealed)
      const back = waiting.filter(({ workflowId }) => stored.has(workflowId))
      const returns = back.map(
        (item): Return => ({ workflowId: item.workflowId, isBack: true, message: rollBack.message(item) }),
      )
      const count = await endUpgraded(tx, upgrade.id, [...returns, ...kept])
      await rollBack.end?.(tx, count)
      tx.afterCommit(() => {
        for (const { current } of sealed)
          if (stored.has(current.id)) deps.onChanged(current.accountId, current.id, 'TemplateUpgradeAction')
      })
      const over = new Set([...stored, ...kept.map(({ workflowId }) => workflowId)])
      return waiting.filter(({ workflowId }) => !over.has(workflowId))
    })
    if (!lost) return false
    if (attempt >= attemptsMax && lost.length > 0)
      throw new Error('Workflows keep being changed while they are rolled back.')
    waiting = lost
  }
  return true
}

async function prepare(deps: UpgradeDeps, upgrade: Upgrade, items: readonly UpgradedItem[]) {
  const db = deps.database.system
  const [newest, before] = await Promise.all([
    loadWorkflows(
      db,
      deps.keyRing,
      items.map(({ workflowId: id }) => ({ id })),
    ),
    loadWorkflows(
      db,
      deps.keyRing,
      items.map(({ workflowId: id, revisionBefore: revision }) => ({ id, revision })),
    ),
  ])
  const revisions: NewRevision[] = []
  const kept: Return[] = []
  for (const { workflowId, revisionAfter } of items) {
    const [current, earlier] = [newest.get(workflowId), before.get(workflowId)]
    const keep = (message: string) => kept.push({ workflowId, isBack: false, message })
    if (!current || !earlier) keep('Not rolled back: the workflow has been deleted.')
    else if (current.state === 'archived') keep('Not rolled back: the workflow is archived.')
    else if (current.revision !== revisionAfter)
      keep(
        `Not rolled back: the workflow was edited after the upgrade (revision ${current.revision}), and the edits are kept.`,
      )
    else {
      const { templateVersion, baseDigest, definition: next } = earlier
      const actor = actorFor(upgrade, current.accountId)
      revisions.push({
        current,
        next,
        templateVersion,
        baseDigest,
        reason: 'RolledBack',
        createdBy: upgrade.startedBy,
        actor,
      })
    }
  }
  return { revisions, kept }
}
