import ivm from 'isolated-vm'
import type { GuestLimits } from '../protocol.ts'
import { makeIsolate } from './make-isolate.ts'
import type { AttachArguments, Dispatch, HostFunctions } from './realm/dispatch.ts'
import { ATTACH, fromSnapshot, snapshotOf } from './snapshot.ts'

/**
 * The isolate of one account, the realm made ready for its next run, and realms of runs whose next script is still to come.
 *
 * Making an isolate costs about four times what a realm in it costs, so scripts of one account follow each other in one
 * isolate, those of each run in a realm of its own. Another account, other limits or another library mean another isolate, and so
 * do many realms or much memory left behind.
 */

/** Whatever the engine does not give back of a realm goes with its isolate. */
const REALMS_PER_ISOLATE = 300
const REALMS_PER_LOOK = 8
/** Of the memory of an isolate, how much scripts may be given in all before it is replaced; a single one may be given more. */
const GIVEN_SHARE = 0.25
/** As many as a worker has runs of one account in hand. */
const KEPT_MAX = 128

export type Realm = { isolate: ivm.Isolate; dispatch: ivm.Reference<Dispatch> }

/** Set for the time of one job; a realm that is over finds nobody here. */
export type Listener = HostFunctions

type Workshop = {
  key: string
  order: WorkshopOrder
  isolate: ivm.Isolate
  runs: number
  realms: number
  /** Characters of scripts and inputs so far. */
  given: number
  spare: Spare | undefined
  /** By the key of the run; the longest unused first. */
  kept: Map<string, Spare>
}

type Spare = { context: ivm.Context; dispatch: ivm.Reference<Dispatch>; listen(listener: Listener | undefined): void }

let workshop: Workshop | undefined

export type WorkshopOrder = { accountId: string; libraryKey: string; library: string; limits: GuestLimits }

export type TakenRealm = {
  realm: Realm
  /** Puts the realm back as the script found it; false when that cannot be done. */
  tidy(): boolean
  release(): void
  /** For the next script with the same key; only after it was tidied. */
  keep(): void
}

/**
 * Gives a realm in which no script has run, or the one that a script with the same key left as it found it. `characters` is how much the
 * script is given: its memory must not be taken up by what others before it were given.
 */
export function takeRealm(order: WorkshopOrder, realmKey: string, characters: number, listener: Listener): TakenRealm {
  const key = JSON.stringify([order.accountId, order.libraryKey, order.limits])
  if (workshop?.key !== key || workshop.given + characters > order.limits.memoryBytes * GIVEN_SHARE) {
    closeIsolate()
    workshop = openWorkshop(key, order)
  }
  const taken = workshop
  taken.given += characters
  const spare = takeSpare(taken, realmKey)
  taken.runs++
  spare.listen(listener)
  return {
    realm: { isolate: taken.isolate, dispatch: spare.dispatch },
    tidy: () => {
      spare.listen(undefined)
      try {
        return spare.dispatch.applySync(undefined, ['tidy'])
      } catch {
        // The script left so little memory that its isolate is over now.
        return false
      }
    },
    release: () => {
      spare.listen(undefined)
      if (taken.isolate.isDisposed) return
      spare.dispatch.release()
      spare.context.release()
    },
    keep: () => keepSpare(taken, realmKey, spare),
  }
}

function takeSpare(from: Workshop, realmKey: string): Spare {
  const spare = from.kept.get(realmKey) ?? from.spare ?? makeSpare(from)
  if (!from.kept.delete(realmKey)) from.spare = undefined
  return spare
}

function keepSpare(where: Workshop, realmKey: string, spare: Spare): void {
  where.kept.set(realmKey, spare)
  if (where.kept.size <= KEPT_MAX) return
  const [oldest, unused] = where.kept.entries().next().value as [string, Spare]
  where.kept.delete(oldest)
  unused.dispatch.release()
  unused.context.release()
}

/** Prepares the realm for a next script of the same account while the service is busy with the result of the last one. */
export function prepareNext(): void {
  // After a single run the next script is as likely another account's.
  if (!workshop || workshop.runs < 2 || workshop.spare) return
  const { isolate, key, order, realms } = workshop
  if (realms >= REALMS_PER_ISOLATE || (realms % REALMS_PER_LOOK === 0 && isHalfFull(isolate, order.limits))) {
    closeIsolate()
    workshop = openWorkshop(key, order)
  }
  workshop.spare = makeSpare(workshop)
}

function isHalfFull(isolate: ivm.Isolate, { memoryBytes }: GuestLimits): boolean {
  const { used_heap_size: used, externally_allocated_size: external } = isolate.getHeapStatisticsSync()
  return used + external > memoryBytes / 2
}

export function closeIsolate(): void {
  const closed = workshop
  workshop = undefined
  if (closed && !closed.isolate.isDisposed) closed.isolate.dispose()
}

function openWorkshop(key: string, order: WorkshopOrder): Workshop {
  const snapshot = snapshotOf(order.library)
  const memoryLimit = Math.max(8, Math.round(order.limits.memoryBytes / 1_048_576))
  const isolate = makeIsolate(() => fromSnapshot(() => new ivm.Isolate({ snapshot, memoryLimit })))
  return {
    key,
    order,
    isolate,
    runs: 0,
    realms: 0,
    given: 0,
    spare: undefined,
    kept: new Map(),
  }
}

function makeSpare(workshop: Workshop): Spare {
  const { isolate } = workshop
  const { limits } = workshop.order
  workshop.realms++
  const context = fromSnapshot(() => isolate.createContextSync())
  let listener: Listener | undefined
  const attach = context.global.getSync(ATTACH, { reference: true })
  const dispatch = attach.applySync(
    undefined,
    [
      new ivm.Callback((line: string, isCut: boolean) => listener?.log(line, isCut)),
      new ivm.Callback((call: number, text: string) => listener?.call(call, text)),
      new ivm.Callback((text: string) => listener?.ask(text) ?? '0{"message":"The script is over.","details":{}}'),
      new ivm.Callback((text: string) => listener?.finish(text)),
      limits.resultBytesMax,
      limits.logBytesMax,
      limits.callBytesMax,
    ] satisfies { [Index in keyof AttachArguments]: unknown },
    { result: { reference: true } },
  ) as ivm.Reference<Dispatch>
  attach.release()
  return {
    context,
    dispatch,
    listen: (next) => {
      listener = next
    },
  }
}
