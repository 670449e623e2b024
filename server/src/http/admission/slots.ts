// The one ledger of slots: everything that this process does for somebody and that lasts, counted by who holds it. Requests with keys, those
// without and those of webhooks have limits of their own, so that strangers never take the slot of a customer; what goes on for long
// (streams, uploads, downloads, assistants, waits for results) has others again, so that it never takes the slot of a request.
//
// A slot is taken synchronously, before anything is awaited, and given back by its own `release`, which may be called any number of
// times. Whoever takes one binds it at once: with `using` to the work, or with `Exchange.onClose` to the response.
import { networkOf } from '../../lib/address-network.ts'
import { AppError } from '../../lib/app-error.ts'
import { FairShares, type ShareLimits, type ShareRefusal } from '../../lib/fair-shares.ts'

/** What an account with keys may hold. Levels are account and organization. */
export type AccountSlot = 'request' | 'stream' | 'upload' | 'mcp' | 'wait'
export type SlotKind = AccountSlot | 'publicRequest' | 'webhook' | 'download'

/** Who holds a slot. */
export type SlotHolder = { readonly accountId: string; readonly organizationId: string }

const limits: Record<SlotKind, ShareLimits> = {
  request: {
    all: 2000,
    crowdedFrom: 1500,
    levels: [
      { max: 500, maxWhenCrowded: 50 },
      { max: 1000, maxWhenCrowded: 100 },
    ],
  },
  /** By address. */
  publicRequest: { all: 500, crowdedFrom: 375, levels: [{ max: 128, maxWhenCrowded: 8 }] },
  /** By account, by address. */
  webhook: {
    all: 2000,
    crowdedFrom: 1500,
    levels: [
      { max: 1000, maxWhenCrowded: 100 },
      { max: 1000, maxWhenCrowded: 100 },
    ],
  },
  // People keep them open for days, so no limit that grows tighter when many are open would ever relax: however many an organization has,
  // it leaves the next one as many as it has itself.
  stream: { all: 10_000, crowdedFrom: 10_000, levels: [{ max: 50, maxWhenCrowded: 50 }, { partOfRest: 0.5 }] },
  /** One that stands still costs nothing but its slot. */
  upload: {
    all: 512,
    crowdedFrom: 256,
    levels: [
      { max: 64, maxWhenCrowded: 16 },
      { max: 192, maxWhenCrowded: 48 },
    ],
  },
  /** By address, and by the account and organization whose file it is. */
  download: {
    all: 512,
    crowdedFrom: 256,
    levels: [
      { max: 32, maxWhenCrowded: 8 },
      { max: 128, maxWhenCrowded: 32 },
      { max: 192, maxWhenCrowded: 48 },
    ],
  },
  mcp: {
    all: 512,
    crowdedFrom: 256,
    levels: [
      { max: 32, maxWhenCrowded: 8 },
      { max: 128, maxWhenCrowded: 32 },
    ],
  },
  /** For the result of a run, for as long as the run takes. */
  wait: {
    all: 1000,
    crowdedFrom: 750,
    levels: [
      { max: 200, maxWhenCrowded: 20 },
      { max: 400, maxWhenCrowded: 40 },
    ],
  },
}

/** What to say to whoever has its share, and when everything is taken. */
const sentences: Record<SlotKind, { own: string; all: string }> = {
  request: inProgress('This account'),
  publicRequest: inProgress('Your address'),
  webhook: inProgress('This webhook'),
  stream: {
    own: 'This account or organization has too many streams open. An account may have at most 50. Close some of them.',
    all: 'Too many streams are open. Try again in a moment.',
  },
  upload: {
    own: 'This account or organization has too many uploads in progress. Try again later.',
    all: 'Too many uploads are in progress. Try again later.',
  },
  download: {
    own: 'Too many files are being downloaded from here. Wait for some of them to finish.',
    all: 'Too many files are being downloaded. Try again later.',
  },
  mcp: {
    own: 'This account or organization has too many requests of assistants in progress. Wait for some of them to finish.',
    all: 'Too many requests of assistants are in progress. Try again in a moment.',
  },
  wait: {
    own: 'This account has too many requests waiting for runs. Wait for some of them to finish.',
    all: 'Too many requests wait for runs. Try again in a moment.',
  },
}

export class Slot implements Disposable {
  readonly #shares: FairShares
  readonly #holder: readonly string[]
  #isHeld = true

  constructor(shares: FairShares, holder: readonly string[]) {
    this.#shares = shares
    this.#holder = holder
  }

  release(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    this.#shares.give(this.#holder, 1)
  }

  [Symbol.dispose](): void {
    this.release()
  }
}

export class Slots {
  readonly #shares = Object.fromEntries(
    Object.entries(limits).map(([kind, its]) => [kind, new FairShares(its)]),
  ) as Record<SlotKind, FairShares>

  /** Throws when there is none. */
  forAccount(kind: AccountSlot, { accountId, organizationId }: SlotHolder): Slot {
    return this.#take(kind, [accountId, organizationId])
  }

  forStranger(address: string): Slot {
    return this.#take('publicRequest', [networkOf(address)])
  }

  forWebhook(accountId: string, address: string): Slot {
    return this.#take('webhook', [accountId, networkOf(address)])
  }

  forDownload({ accountId, organizationId }: SlotHolder, address: string): Slot {
    return this.#take('download', [networkOf(address), accountId, organizationId])
  }

  /** How many are held now. */
  inUse(): Record<SlotKind, number> {
    const counts = Object.entries(this.#shares).map(([kind, shares]) => [kind, shares.used])
    return Object.fromEntries(counts) as Record<SlotKind, number>
  }

  #take(kind: SlotKind, holder: readonly string[]): Slot {
    const shares = this.#shares[kind]
    const refusal = shares.take(holder, 1)
    if (refusal) throw noSlot(refusal, sentences[kind])
    return new Slot(shares, holder)
  }
}

function inProgress(who: string) {
  return {
    own: `${who} has too many requests in progress. Wait for some of them to finish.`,
    all: 'The service is busy. Try again in a moment.',
  }
}

function noSlot(refusal: ShareRefusal, { own, all }: { own: string; all: string }): AppError {
  return refusal === 'own' ? new AppError('too_many_requests', own) : new AppError('not_ready', all)
}

/** For bytes of a webhook's body. */
export function noRoom(refusal: ShareRefusal): AppError {
  return noSlot(refusal, sentences.webhook)
}
