/** What the transaction that completes a run writes besides the status `Ready`. */
export type CompletionEffects = { readonly movesDateLastRun: boolean; readonly writesDeferredVault: boolean }

export type CompletedRun = {
  readonly isPartial: boolean
  readonly runBy: 'API' | 'Scheduler' | 'Webhook' | 'Manual' | 'Retry' | 'Workflow'
  /** Set when a block called `fx.stopAfterThisBlock(flag)`. */
  readonly endedEarly: null | { readonly flag: boolean }
  /** The webhook setting of that name; it counts only for runs that a webhook request started. */
  readonly updateDateLastRun: boolean
}

export function completionEffects(run: CompletedRun): CompletionEffects {
  const counts = !run.isPartial && (run.endedEarly?.flag ?? true)
  return {
    movesDateLastRun: counts && (run.runBy !== 'Webhook' || run.updateDateLastRun),
    writesDeferredVault: counts,
  }
}
