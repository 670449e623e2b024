import type { AuditAction } from '@patchbay/contract'
import { type Principal, scopeOf } from '../access/index.ts'
import { actorOf, recordAudit } from '../audit/index.ts'
import { type Tx, violatedConstraint } from '../db/index.ts'
import { AppError } from '../lib/app-error.ts'
import { getUpgradeRow } from './get.ts'
import { findNextWave, skipPending } from './item-store.ts'
import { alreadyRunning } from './plan/start.ts'
import type { UpgradeDeps } from './ports.ts'
import { changing, type Upgrade, updateState, updateWave, updateWaveDue } from './store.ts'
import { sendTurn } from './turn.ts'

export type UpgradeAction = 'pause' | 'resume' | 'rollBack'

/** Repeating an action is harmless. */
export async function actOnUpgrade(
  deps: UpgradeDeps,
  principal: Principal,
  id: string,
  action: UpgradeAction,
): Promise<void> {
  try {
    await deps.database.forScope(scopeOf(principal)).transaction(async (tx) => {
      const upgrade = await getUpgradeRow(tx, principal, id, changing)
      if (await actions[action](deps, tx, upgrade)) {
        await recordAudit(tx, actorOf(principal), {
          action: audits[action],
          target: id,
          details: { from: upgrade.state },
        })
      }
    })
  } catch (error) {
    if (violatedConstraint(error) === 'template_upgrades_under_way') throw alreadyRunning()
    throw error
  }
}

const audits: Record<UpgradeAction, AuditAction> = {
  pause: 'upgrade.paused',
  resume: 'upgrade.resumed',
  rollBack: 'upgrade.rolledBack',
}

/** Each returns false when there is nothing to do. */
const actions: Record<UpgradeAction, (deps: UpgradeDeps, tx: Tx, upgrade: Upgrade) => Promise<boolean>> = {
  pause: async (_deps, tx, upgrade) => {
    if (upgrade.state === 'Paused') return false
    if (upgrade.state !== 'Running' || upgrade.isRollingBack) throw isOver(upgrade, 'paused')
    await updateState(tx, upgrade.id, { state: 'Paused', isRollingBack: false })
    // Nothing of the wave is left and nobody has noted its end: it ended now, at the latest.
    const wave = await findNextWave(tx, upgrade.id)
    if (wave !== undefined && wave !== upgrade.wave) await updateWaveDue(tx, upgrade)
    return true
  },
  resume: async (deps, tx, upgrade) => {
    if (upgrade.state === 'Running' && !upgrade.isRollingBack) return false
    if (upgrade.state !== 'Paused') throw isOver(upgrade, 'resumed')
    await updateState(tx, upgrade.id, { state: 'Running', isRollingBack: false })
    const resumed = { ...upgrade, turn: upgrade.turn + 1 }
    // Paused after the last workflow of a wave and before the next wave was noted, it would wait for that one all over again. The next wave
    // begins when it would have begun without the pause.
    const wave = await findNextWave(tx, upgrade.id)
    if (wave !== undefined && wave !== upgrade.wave) await updateWave(tx, resumed, { wave, turn: resumed.turn })
    await sendTurn(deps.jobs, tx, resumed, upgrade.waveDueInMs / 60_000)
    return true
  },
  rollBack: async (deps, tx, upgrade) => {
    if (upgrade.state === 'RolledBack' || upgrade.isRollingBack) return false
    await updateState(tx, upgrade.id, { state: 'Running', isRollingBack: true })
    await skipPending(tx, upgrade.id, 'The upgrade was rolled back before it reached this workflow.')
    await sendTurn(deps.jobs, tx, { id: upgrade.id, turn: upgrade.turn + 1 })
    return true
  },
}

const stateWords: Record<Upgrade['state'], string> = {
  Running: 'is running',
  Paused: 'is paused',
  Stopped: 'was stopped',
  Completed: 'is complete',
  RolledBack: 'was rolled back',
}

function isOver({ state, isRollingBack }: Upgrade, word: string): AppError {
  const now = isRollingBack ? 'is being rolled back' : stateWords[state]
  return new AppError('upgrade_over', `The upgrade ${now}, so it cannot be ${word}.`)
}
