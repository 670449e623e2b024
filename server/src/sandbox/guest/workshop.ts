import ivm from 'isolated-vm'
import { CALLS_AT_ONCE, type GuestLimits, SLEEPS_AT_ONCE } from '../protocol.ts'
import { bootstrap, type Dispatch, type HostFunctions } from './bootstrap.ts'

/**
 * The isolate of one account and the realm made ready for its next script.
 *
 * Making an isolate costs about four times what a realm in it costs, so scripts of one account follow each other in one
 * isolate, each in a realm of its own. Another account, other limits or another library mean another isolate, and so do
 * many runs or much memory left behind.
 */

/** A realm takes about 175 kB; with this many of them V8 seldom has to collect garbage before the isolate ends anyway. */
const RUNS_PER_ISOLATE = 100

export type Realm = { isolate: ivm.Isolate; dispatch: ivm.Reference<Dispatch> }

/** Set for the time of one job; a realm that is over finds nobody here. */
export type Listener = HostFunctions

type Workshop = {
  key: string
  order: WorkshopOrder
  isolate: ivm.Isolate
  bootstrap: ivm.Script
  library: ivm.Script
  runs: number
  spare: Spare | undefined
}

type Spare = { context: ivm.Context; dispatch: ivm.Reference<Dispatch>; listen(listener: Listener | undefined): void }

const bootstrapSource = `'use strict'; (${bootstrap.toString()})`

let workshop: Workshop | undefined

export type WorkshopOrder = { accountId: string; libraryKey: string; library: string; limits: GuestLimits }

/** Gives a realm in which no script has run. */
export function takeRealm(order: WorkshopOrder, listener: Listener): { realm: Realm; release(): void } {
  const key = JSON.stringify([order.accountId, order.libraryKey, order.limits])
  if (workshop?.key !== key) {
    closeWorkshop()
    workshop = openWorkshop(key, order)
  }
  const taken = workshop
  const spare = taken.spare ?? makeSpare(taken)
  taken.spare = undefined
  taken.runs++
  spare.listen(listener)
  const release = (): void => {
    spare.listen(undefined)
    spare.dispatch.release()
    spare.context.release()
  }
  return { realm: { isolate: taken.isolate, dispatch: spare.dispatch }, release }
}

/** Prepares the realm for a next script of the same account while the service is busy with the result of the last one. */
export function prepareNext(): void {
  // After a single run the next script is as likely another account's.
  if (!workshop || workshop.runs < 2) return
  const { isolate, key, order, runs } = workshop
  const { used_heap_size: used, externally_allocated_size: external } = isolate.getHeapStatisticsSync()
  if (runs >= RUNS_PER_ISOLATE || used + external > order.limits.memoryBytes / 2) {
    closeWorkshop()
    workshop = openWorkshop(key, order)
  }
  workshop.spare ??= makeSpare(workshop)
}

export function closeWorkshop(): void {
  const closed = workshop
  workshop = undefined
  if (closed && !closed.isolate.isDisposed) closed.isolate.dispose()
}

function openWorkshop(key: string, order: WorkshopOrder): Workshop {
  const isolate = new ivm.Isolate({ memoryLimit: Math.max(8, Math.round(order.limits.memoryBytes / 1_048_576)) })
  return {
    key,
    order,
    isolate,
    bootstrap: isolate.compileScriptSync(bootstrapSource, { filename: 'patchbay-bootstrap' }),
    library: isolate.compileScriptSync(order.library, { filename: 'patchbay-library' }),
    runs: 0,
    spare: undefined,
  }
}

function makeSpare({ isolate, bootstrap, library, order: { limits } }: Workshop): Spare {
  const context = isolate.createContextSync()
  library.runSync(context)
  let listener: Listener | undefined
  const start = bootstrap.runSync(context, { reference: true })
  const dispatch = start.applySync(
    undefined,
    [
      new ivm.Callback((line: string, isCut: boolean) => listener?.log(line, isCut), { ignored: true }),
      new ivm.Callback((call: number, text: string) => listener?.call(call, text), { ignored: true }),
      new ivm.Callback((text: string) => listener?.ask(text) ?? '0{"message":"The script is over.","details":{}}'),
      new ivm.Callback((text: string) => listener?.finish(text), { ignored: true }),
      limits.resultBytesMax,
      limits.logBytesMax,
      limits.callBytesMax,
      CALLS_AT_ONCE,
      SLEEPS_AT_ONCE,
    ],
    { result: { reference: true } },
  ) as ivm.Reference<Dispatch>
  start.release()
  return {
    context,
    dispatch,
    listen: (next) => {
      listener = next
    },
  }
}
