import type { WebhookSignature } from '@patchbay/contract'
import { type Queryable, sql } from '../../db/index.ts'
import type { Settings } from './settings.ts'

export type StoredSettings = Settings & {
  isHeld: boolean
  sealedSecret: Buffer
  modifiedBy: string
  modifiedAt: Date
}

type SettingsRow = {
  signature: WebhookSignature | null
  ip_restriction: string[]
  url_parameters: string
  is_strict_order: boolean
  order_key: string
  skip_after_errors: number
  skip_script: string
  is_batch: boolean
  batch_size: number
  moves_date_last_run: boolean
  respond_with: 'accepted' | 'result'
  respond_seconds: number
  is_held: boolean
  sealed_secret: Buffer
  modified_by: string
  modified_at: Date
}

const columns = sql`h.ip_restriction, h.url_parameters, h.is_strict_order, h.order_key, h.skip_after_errors, h.skip_script, h.is_batch,
  h.batch_size, h.moves_date_last_run, h.signature, h.respond_with, h.respond_seconds, h.is_held, h.sealed_secret, h.modified_by, h.modified_at`

function toSettings(row: SettingsRow): StoredSettings {
  return {
    ipRestriction: row.ip_restriction,
    urlParameters: row.url_parameters,
    strictOrderProcessing: row.is_strict_order,
    orderKey: row.order_key,
    skipProcessingAfterErrors: row.skip_after_errors,
    skipScript: row.skip_script,
    isBatch: row.is_batch,
    batchSize: row.batch_size,
    updateDateLastRun: row.moves_date_last_run,
    respondWith: row.respond_with,
    respondSeconds: row.respond_seconds,
    signature: row.signature,
    isHeld: row.is_held,
    sealedSecret: row.sealed_secret,
    modifiedBy: row.modified_by,
    modifiedAt: row.modified_at,
  }
}

/** Undefined: the account has no such workflow. `settings` is undefined when the webhook is not configured. */
export async function findSettings(
  db: Queryable,
  accountId: string,
  workflowId: string,
): Promise<{ isActive: boolean; settings: StoredSettings | undefined } | undefined> {
  const { rows } = await db.query<SettingsRow & { is_webhook_active: boolean; is_configured: boolean }>(sql`
    select w.is_webhook_active, h.workflow_id is not null as is_configured, ${columns}
    from workflows w left join webhooks h on h.workflow_id = w.id
    where w.account_id = ${accountId} and w.id = ${workflowId}`)
  const row = rows[0]
  return row && { isActive: row.is_webhook_active, settings: row.is_configured ? toSettings(row) : undefined }
}

/** One change of settings at a time. */
export async function lockWorkflow(
  tx: Queryable,
  accountId: string,
  workflowId: string,
): Promise<{ state: string; isActive: boolean } | undefined> {
  const { rows } = await tx.query<{ state: string; is_webhook_active: boolean }>(sql`
    select state, is_webhook_active from workflows where account_id = ${accountId} and id = ${workflowId} for no key update`)
  return rows[0] && { state: rows[0].state, isActive: rows[0].is_webhook_active }
}

/** Locked against intake too, which passes over settings that are being changed and asks again. */
export async function findSettingsForUpdate(
  tx: Queryable,
  accountId: string,
  workflowId: string,
): Promise<StoredSettings | undefined> {
  const { rows } = await tx.query<SettingsRow>(sql`
    select ${columns} from webhooks h where h.account_id = ${accountId} and h.workflow_id = ${workflowId} for update`)
  return rows[0] && toSettings(rows[0])
}

export type SettingsKey = { workflowId: string; accountId: string }

export async function insertSettings(
  tx: Queryable,
  key: SettingsKey,
  settings: Settings,
  made: { version: string; sealedSecret: Buffer; by: string },
): Promise<void> {
  await tx.query(sql`
    insert into webhooks (workflow_id, account_id, version, ip_restriction, url_parameters, is_strict_order, order_key, skip_after_errors,
      skip_script, is_batch, batch_size, moves_date_last_run, respond_with, respond_seconds, signature, sealed_secret, modified_by)
    values (${key.workflowId}, ${key.accountId}, ${made.version}, ${settings.ipRestriction}, ${settings.urlParameters},
      ${settings.strictOrderProcessing}, ${settings.orderKey}, ${settings.skipProcessingAfterErrors}, ${settings.skipScript},
      ${settings.isBatch}, ${settings.batchSize}, ${settings.updateDateLastRun}, ${settings.respondWith}, ${settings.respondSeconds},
      ${jsonOf(settings.signature)}::jsonb, ${made.sealedSecret}, ${made.by})`)
}

/** `secret` is there when it changes: then the one before it stays good for the overlap. */
export async function updateSettings(
  tx: Queryable,
  key: SettingsKey,
  settings: Settings,
  made: { version: string; by: string; secret?: { sealed: Buffer; sealedPrevious: Buffer; overlapHours: number } },
): Promise<void> {
  await tx.query(sql`
    update webhooks set version = ${made.version}, ip_restriction = ${settings.ipRestriction}, url_parameters = ${settings.urlParameters},
      respond_with = ${settings.respondWith}, respond_seconds = ${settings.respondSeconds},
      is_strict_order = ${settings.strictOrderProcessing}, order_key = ${settings.orderKey},
      skip_after_errors = ${settings.skipProcessingAfterErrors}, skip_script = ${settings.skipScript}, is_batch = ${settings.isBatch},
      batch_size = ${settings.batchSize}, moves_date_last_run = ${settings.updateDateLastRun},
      signature = ${jsonOf(settings.signature)}::jsonb,
      sealed_secret = coalesce(${made.secret?.sealed ?? null}, sealed_secret),
      sealed_previous_secret = coalesce(${made.secret?.sealedPrevious ?? null}, sealed_previous_secret),
      previous_secret_until = coalesce(now() + ${made.secret?.overlapHours ?? null}::integer * interval '1 hour', previous_secret_until),
      modified_by = ${made.by}, modified_at = now()
    where account_id = ${key.accountId} and workflow_id = ${key.workflowId}`)
}

function jsonOf(signature: WebhookSignature | null): string | null {
  return signature === null ? null : JSON.stringify(signature)
}

export async function deleteSettings(tx: Queryable, key: SettingsKey): Promise<void> {
  await tx.query(sql`delete from webhooks where account_id = ${key.accountId} and workflow_id = ${key.workflowId}`)
}

export async function setActive(tx: Queryable, key: SettingsKey, isActive: boolean): Promise<void> {
  await tx.query(sql`
    update workflows set is_webhook_active = ${isActive} where account_id = ${key.accountId} and id = ${key.workflowId}`)
}
