import { type Principal, reachOf, scopeOf } from '../../access/index.ts'
import { actorOf, recordAudit } from '../../audit/index.ts'
import { inOrder, violatedConstraint } from '../../db/index.ts'
import { AppError, invalid } from '../../lib/app-error.ts'
import { newId } from '../../lib/id.ts'
import { checkStorable, insertBase } from '../../workflows/index.ts'
import { insertItems, type NewItem } from '../item-store.ts'
import type { UpgradeDeps } from '../ports.ts'
import { insertUpgrade } from '../store.ts'
import { type GivenResolution, type GivenValues, gatherChoices, sealChoices } from '../target/choices.ts'
import { chooseWorkflows } from '../target/choose-workflows.ts'
import { findTarget } from '../target/target.ts'
import { sendTurn } from '../turn.ts'
import { type PlannedItem, planItems } from './plan-items.ts'

type Given = {
  workflowTemplateId: string
  toVersion?: string
  workflowIds?: string[]
  resolutions?: GivenResolution[]
  values?: GivenValues[]
  waveSize?: number
  waveMinutes?: number
  watchRuns?: number
  failuresMax?: number
  replayRuns?: number
}

/** Everything that can be known now is decided now; the waves are for a worker. Returns the id of the upgrade. */
export async function startUpgrade(deps: UpgradeDeps, principal: Principal, given: Given): Promise<string> {
  checkStorable(given)
  const { organizationId } = principal.account
  const target = await findTarget(deps.catalog, organizationId, given)
  const choices = gatherChoices(given.resolutions ?? [], given.values ?? [])
  const db = deps.database.system
  const reach = reachOf(principal, true)
  const chosen = await chooseWorkflows(db, reach, target, given.workflowIds)
  await refuseForeignChoices()
  const planned = await planItems(deps, target, { chosen, choices, areNamed: given.workflowIds !== undefined })

  const id = newId()
  const { waveSize = 10, waveMinutes = 10, watchRuns = 3, failuresMax = 1, replayRuns = 0 } = given
  const items = await sealItems(planned)
  const isOver = !items.some(({ outcome }) => outcome === 'pending')
  const upgrade = { id, organizationId, workflowTemplateId: target.workflowTemplateId, toVersion: target.version }
  const settings = { waveSize, waveMinutes, watchRuns, failuresMax, replayRuns }
  const actor = actorOf(principal)
  try {
    await deps.database.forScope(scopeOf(principal)).transaction(async (tx) => {
      await inOrder(tx, [
        (db) => insertBase(db, target.base),
        (db) =>
          insertUpgrade(db, {
            ...upgrade,
            ...settings,
            startedBy: principal.caller.id,
            keyId: actor.keyId,
            address: actor.address,
            baseDigest: target.base.digest,
            state: isOver ? 'Completed' : 'Running',
          }),
        (db) => insertItems(db, upgrade, items),
        (db) =>
          recordAudit(db, actor, {
            action: 'upgrade.started',
            target: id,
            details: { ...settings, toVersion: target.version, workflows: items.length },
          }),
        (db) => (isOver ? undefined : sendTurn(deps.jobs, db, { id, turn: 1 })),
      ])
    })
  } catch (error) {
    if (violatedConstraint(error) === 'template_upgrades_under_way') throw alreadyRunning()
    throw error
  }
  return id

  async function refuseForeignChoices(): Promise<void> {
    const known = new Set(chosen.map((workflow) => workflow.id))
    const others = [...choices.keys()].filter((workflowId) => !known.has(workflowId))
    if (others.length === 0) return
    await chooseWorkflows(db, reach, target, others)
    throw invalid(`Workflow ${others[0]} has a resolution or values, but workflowIds does not name it.`)
  }

  /** Waves are counted over those that will be changed. */
  async function sealItems(all: readonly PlannedItem[]): Promise<NewItem[]> {
    let turns = 0
    return Promise.all(
      all.map(async ({ workflowId, accountId, outcome, message, revisionBefore }): Promise<NewItem> => {
        const wave = 1 + Math.floor((outcome === 'pending' ? turns++ : turns) / waveSize)
        const own = outcome === 'pending' ? choices.get(workflowId) : undefined
        const sealedChoices = own
          ? await sealChoices(deps.keyRing, { upgradeId: id, workflowId, accountId }, own)
          : null
        return { workflowId, accountId, outcome, message, revisionBefore, wave, sealedChoices }
      }),
    )
  }
}

export function alreadyRunning(): AppError {
  return new AppError(
    'upgrade_running',
    'Another upgrade of this template is in progress. Wait until it has ended, or roll it back.',
  )
}
