// Receiving a share. Files go through encryption to the disk as they arrive. A row says that the upload is under way before its first byte is
// written, and becomes a share in one transaction with its mail; whatever goes wrong before that leaves neither files nor a row.
import { randomBytes } from 'node:crypto'
import { type Principal, scopeOf } from '../access/index.ts'
import { actorOf, recordAudit } from '../audit/index.ts'
import type { Database } from '../db/index.ts'
import type { FileStore, FileStores } from '../files/index.ts'
import type { FormPart, MultipartBody } from '../http/index.ts'
import { AppError, invalid } from '../lib/app-error.ts'
import { newId } from '../lib/id.ts'
import type { Outbox } from '../mail/index.ts'
import type { KeyRing } from '../secrets/index.ts'
import type { StorageLedger } from '../storage/index.ts'
import { keyPlace, type ShareFile, sealContent } from './content.ts'
import { cleanFileName } from './file-name.ts'
import { composeNotification, defaultSubject } from './notification.ts'
import { UploadForm } from './read-form.ts'
import { writeShareFile } from './share-file.ts'
import { deriveCodeKey, makeCode, makeCodeSalt, wrapDataKey } from './share-key.ts'
import { deleteErased, finishUpload, giveUpUpload, insertUpload, touchUpload } from './store.ts'
import { UploadProgress } from './upload-progress.ts'
import { thisUploader } from './uploader.ts'

export type UploadDeps = {
  database: Database
  keyRing: KeyRing
  outbox: Outbox
  files: FileStores
  ledger: Pick<StorageLedger, 'add' | 'requireQuota' | 'requireRoom'>
  baseUrl: () => string
  onFault: (error: unknown) => void
}

const filesMax = 1000
const expiresInDays = 7

type Upload = {
  readonly shareId: string
  readonly dataKey: Buffer
  readonly files: ShareFile[]
  readonly form: UploadForm
  readonly progress: UploadProgress
}

/** `announcedBytes` is what the client says it will send. Returns the id of the share. */
export async function receiveUpload(
  deps: UploadDeps,
  principal: Principal,
  body: MultipartBody,
  announcedBytes: number,
): Promise<string> {
  deps.ledger.requireRoom(principal.account.id)
  await deps.files.primary.requireSpace(announcedBytes)
  return receive(deps, principal, body)
}

const receiving = new Set<string>()

/** Whether this process still receives the upload. */
export function isReceiving(shareId: string): boolean {
  return receiving.has(shareId)
}

async function receive(deps: UploadDeps, principal: Principal, body: MultipartBody): Promise<string> {
  const shareId = newId()
  using progress = watchUpload(deps, principal, shareId)
  const upload: Upload = { shareId, dataKey: randomBytes(32), files: [], form: new UploadForm(), progress }
  let hasBegun = false
  receiving.add(upload.shareId)
  try {
    for await (const part of body) {
      if (part.kind === 'field') {
        upload.form.add(part.name, part.value)
        continue
      }
      if (part.name !== 'files') throw invalid(`Unexpected field "${part.name}". Files go in the field "files".`)
      if (!hasBegun) {
        upload.form.checkSoFar()
        hasBegun = true
        await begin(deps, principal, upload.shareId)
        progress.start()
      }
      await receiveFile(deps.files.primary, upload, part)
    }
    await finish(deps, principal, upload)
    return upload.shareId
  } catch (error) {
    if (hasBegun) await abandon(deps, principal, upload.shareId)
    throw error
  } finally {
    receiving.delete(upload.shareId)
    upload.dataKey.fill(0)
  }
}

function watchUpload({ database, ledger, onFault }: UploadDeps, principal: Principal, shareId: string): UploadProgress {
  const { id: accountId } = principal.account
  const db = database.forScope(scopeOf(principal))
  return new UploadProgress({
    ledger,
    accountId,
    touch: (bytes) => touchUpload(db, accountId, shareId, bytes),
    onFault,
  })
}

async function begin(deps: UploadDeps, principal: Principal, shareId: string): Promise<void> {
  await insertUpload(deps.database.forScope(scopeOf(principal)), {
    id: shareId,
    accountId: principal.account.id,
    storageId: deps.files.primary.id,
    uploader: thisUploader(),
  })
  await deps.files.primary.create(shareId)
}

async function receiveFile(store: FileStore, upload: Upload, part: FormPart & { kind: 'file' }): Promise<void> {
  if (upload.files.length === filesMax) throw invalid(`A share holds at most ${filesMax} files.`)
  const id = newId()
  const place = { shareId: upload.shareId, fileId: id, index: upload.files.length }
  const bytes = await writeShareFile(store, upload.progress.watch(part.bytes), upload.dataKey, place)
  // What a browser sends for a file that was not chosen.
  if (part.fileName === '' && bytes === 0) return
  upload.files.push({ id, name: cleanFileName(part.fileName), contentType: part.contentType.slice(0, 200), bytes })
}

async function finish(deps: UploadDeps, principal: Principal, upload: Upload): Promise<void> {
  const { shareId, files, dataKey } = upload
  const { account } = principal
  const fields = upload.form.read(files.map((file) => file.name))
  const code = fields.code ?? makeCode()
  const codeSalt = makeCodeSalt()
  const [codeKey] = await Promise.all([deriveCodeKey(code, codeSalt), deps.files.primary.settle(shareId)])
  const content = {
    files,
    notificationEmail: fields.notificationEmail,
    copy: fields.copy ?? null,
    subject: fields.subject ?? defaultSubject,
    note: fields.secureNote ?? null,
  }
  const done = {
    sealedKey: await deps.keyRing.seal(keyPlace(account.id, shareId), wrapDataKey(dataKey, codeKey, shareId)),
    codeSalt,
    isCodeChosen: fields.code !== undefined,
    sealedContent: await sealContent(deps.keyRing, account.id, shareId, content),
    expiresInDays: fields.expiresInDays ?? expiresInDays,
    bytes: files.reduce((sum, file) => sum + file.bytes, 0),
  }
  const mail = composeNotification(fields, {
    baseUrl: deps.baseUrl(),
    shareId,
    linkCode: fields.code === undefined ? code : null,
    accountEmail: account.email,
    files,
    expiresInDays: done.expiresInDays,
  })
  await deps.database.forScope(scopeOf(principal)).transaction(async (tx) => {
    const [isFinished] = await Promise.all([
      finishUpload(tx, account.id, shareId, done),
      deps.outbox.enqueue(tx, account.id, mail),
      recordAudit(tx, actorOf(principal), {
        action: 'share.created',
        target: shareId,
        details: { files: files.length, bytes: done.bytes },
      }),
    ])
    if (!isFinished) throw new AppError('not_ready', 'The upload stalled and was aborted. Please upload again.')
  })
  deps.ledger.add(account.id, done.bytes - upload.progress.countedBytes)
}

/**
 * Nothing to give up: the share was finished although its answer was lost, or the keeper was faster. Should this fail as well, the keeper finds
 * the row later.
 */
async function abandon(deps: UploadDeps, principal: Principal, shareId: string): Promise<void> {
  const db = deps.database.forScope(scopeOf(principal))
  try {
    if (!(await giveUpUpload(db, principal.account.id, shareId))) return
    await deps.files.primary.remove(shareId)
    await deleteErased(db, principal.account.id, shareId)
  } catch (error) {
    deps.onFault(error)
  }
}
