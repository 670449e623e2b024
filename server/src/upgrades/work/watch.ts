// Upgraded workflows are watched: one whose next runs all fail goes back by itself, and too many of those stop the upgrade.

import { recordAudit } from '../../audit/index.ts'
import type { Tx } from '../../db/index.ts'
import { counted } from '../../lib/counted.ts'
import { skipPending } from '../item-store.ts'
import type { UpgradeDeps } from '../ports.ts'
import { changing, countFailures, findUpgrade, type Upgrade, updateState } from '../store.ts'
import { actorFor } from './actor.ts'
import { rollBackItems } from './roll-back.ts'
import { listWatched, updateWatches, type Watched } from './watch-store.ts'

const watchedAtOnce = 100

/** Looks at some of them, and returns the last one if there may be more. */
export async function watchUpgrades(deps: UpgradeDeps, after: Watched | undefined): Promise<Watched | undefined> {
  const watched = await listWatched(deps.database.system, after, watchedAtOnce)
  const failing = watched.filter(isFailing)
  const others = watched.filter((item) => !isFailing(item))
  await deps.database.system.transaction((tx) =>
    updateWatches(
      tx,
      others.map((item) => ({ ...item, goesOn: item.isNewest && !item.statuses.includes('Ready') })),
    ),
  )
  for (const item of failing) await rollBackFailing(deps, item)
  return watched.length === watchedAtOnce ? watched.at(-1) : undefined
}

function isFailing({ isNewest, statuses, watchRuns }: Watched): boolean {
  return isNewest && statuses.length >= watchRuns && statuses.every((status) => status === 'Error')
}

async function rollBackFailing(deps: UpgradeDeps, item: Watched): Promise<void> {
  const upgrade = await findUpgrade(deps.database.system, item.upgradeId)
  if (!upgrade) return
  await rollBackItems(deps, upgrade, [item], {
    message: ({ revisionBefore }) =>
      `The next ${item.watchRuns === 1 ? 'run' : `${item.watchRuns} runs`} failed after the upgrade, so the workflow was rolled back to revision ${revisionBefore}.`,
    begin: async (tx) => (await findUpgrade(tx, upgrade.id, changing)) !== undefined,
    end: async (tx, count) => {
      if (count === 0) return
      await countFailures(tx, upgrade.id, count)
      const now = await findUpgrade(tx, upgrade.id)
      if (now && now.failures > now.failuresMax) await stopUpgrade(deps, tx, now, item)
    },
  })
}

async function stopUpgrade(deps: UpgradeDeps, tx: Tx, upgrade: Upgrade, { workflowId }: Watched): Promise<void> {
  if (upgrade.isRollingBack || upgrade.state === 'Stopped' || upgrade.state === 'RolledBack') return
  const errorMessage = `The upgrade to version ${upgrade.toVersion} was stopped: ${counted(upgrade.failures, 'workflow')} failed afterwards and ${upgrade.failures === 1 ? 'was' : 'were'} rolled back.`
  await Promise.all([
    updateState(tx, upgrade.id, { state: 'Stopped', isRollingBack: false }),
    skipPending(tx, upgrade.id, 'The upgrade was stopped before it reached this workflow.'),
    recordAudit(tx, actorFor(upgrade, upgrade.startedBy), {
      action: 'upgrade.stopped',
      target: upgrade.id,
      details: { failures: upgrade.failures },
    }),
    deps.publish(tx, [
      {
        accountId: upgrade.startedBy,
        type: 'upgrade.stopped',
        data: { upgradeId: upgrade.id, workflowId, errorMessage },
        mail: {
          subject: `The upgrade to version ${upgrade.toVersion} was stopped`,
          text: `${errorMessage}\n\nWorkflows that were upgraded and work are left as they are; you can roll back the whole upgrade.\nDetails: ${deps.baseUrl()}/upgrades/${upgrade.id}`,
        },
      },
    ]),
  ])
}
