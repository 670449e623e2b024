// A database that is away for a moment, for a restart say, is no reason to fail a block.
import { setTimeout as wait } from 'node:timers/promises'
import type { ScriptOutcome } from '../../sandbox/index.ts'

export const outagePatienceMs = 60_000
export const outageWaitMs = 500

export async function waitFor(ms: number, ...signals: AbortSignal[]): Promise<void> {
  await wait(ms, undefined, { signal: AbortSignal.any(signals) }).catch(() => {})
}

export function failure(kind: 'aborted' | 'crashed', message: string, log: string[]): ScriptOutcome {
  return { kind, message, log, pauseMs: 0 }
}
