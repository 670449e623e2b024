// Cleans up: uploads whose process died, shares that expired or were taken back. Each process cleans the stores that it reaches; keys of
// expired shares are destroyed by whichever process comes first. Doing it twice is harmless.
import { noAccount, recordAudit } from '../audit/index.ts'
import type { FileStore } from '../files/index.ts'
import { Recurring } from '../lib/recurring.ts'
import { deleteErased, deleteLost, eraseExpired, giveUpUpload, listToClean, type ToClean } from './store.ts'
import { isReceiving, type UploadDeps } from './upload.ts'
import { isUploaderAlive, thisUploader } from './uploader.ts'

type Deps = Pick<UploadDeps, 'database' | 'files' | 'onFault'>

const cleanEveryMs = 60_000
/** An upload shows a sign of life three times a minute. */
const silentSeconds = 120
const lostDays = 365
const batch = 200

export class ShareCleanUp implements AsyncDisposable {
  readonly #deps: Deps
  readonly #cleaning: Recurring

  constructor(deps: Deps) {
    this.#deps = deps
    this.#cleaning = new Recurring(() => this.#clean(), { pauseMs: cleanEveryMs, onFault: deps.onFault })
  }

  /** What a crash left behind is gone when this returns. */
  async start(): Promise<void> {
    await this.#clean()
    this.#cleaning.start()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cleaning[Symbol.asyncDispose]()
  }

  async #clean(): Promise<void> {
    try {
      await this.#eraseExpired()
      await this.#removeFiles()
      await deleteLost(this.#deps.database.system, lostDays)
    } catch (error) {
      this.#deps.onFault(error)
    }
  }

  async #eraseExpired(): Promise<void> {
    for (let count = batch; count === batch; ) {
      count = await this.#deps.database.system.transaction(async (tx) => {
        const erased = await eraseExpired(tx, batch)
        await Promise.all(
          erased.map(({ id, organization_id: organizationId }) => {
            return recordAudit(tx, noAccount(organizationId), { action: 'share.expired', target: id })
          }),
        )
        return erased.length
      })
    }
  }

  async #removeFiles(): Promise<void> {
    for (const store of this.#deps.files.all) await this.#removeFilesOf(store)
  }

  async #removeFilesOf(store: FileStore): Promise<void> {
    const { database } = this.#deps
    for (const share of await listToClean(database.system, store.id, silentSeconds)) {
      if (share.status === 'Uploading') {
        if (isUnderWay(share)) continue
        if (!(await giveUpUpload(database.system, share.account_id, share.id))) continue
      }
      await store.remove(share.id)
      await deleteErased(database.system, share.account_id, share.id)
    }
  }
}

/**
 * A process knows its own uploads: one that it gave up while the database was away is still in the table. Another living process cleans up after
 * itself, also when it could show no sign of life.
 */
function isUnderWay({ id, uploader, is_silent }: ToClean): boolean {
  if (uploader === thisUploader()) return isReceiving(id)
  return isUploaderAlive(uploader) ?? !is_silent
}
