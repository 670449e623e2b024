// The webhook of a workflow: not configured -> active <-> disabled; cleaning makes it not configured again. Whatever was accepted is
// processed all the same, in the order it was promised.
import { maskedValue } from '@patchbay/contract'
import { type Principal, scopeOf } from '../../access/index.ts'
import { actorOf, recordAudit } from '../../audit/index.ts'
import type { Database, Scope, Tx } from '../../db/index.ts'
import type { PublishEvents } from '../../events/index.ts'
import { AppError, invalid, notFound } from '../../lib/app-error.ts'
import { newId } from '../../lib/id.ts'
import { describeWait, resumeByHand } from '../../runs/index.ts'
import type { KeyRing } from '../../secrets/index.ts'
import { generateSecret } from '../signature/secret.ts'
import { openSecret, sealSecret } from './secrets-at-rest.ts'
import { checkGiven, type GivenSettings, mergeSettings, type Settings } from './settings.ts'
import {
  deleteSettings,
  findSettings,
  findSettingsForUpdate,
  insertSettings,
  lockWorkflow,
  type SettingsKey,
  setActive,
  updateSettings,
} from './store.ts'

export type ChangeDeps = {
  database: Database
  publish: PublishEvents
  keyRing: KeyRing
  checkScript(source: string): Promise<{ ok: true } | { ok: false; message: string; line: number; column: number }>
  addressOf(workflowId: string, urlParameters: string): string
  /** The lanes of what waits, as far as they must be looked up; before the queue is locked. */
  lookUpLanes(key: SettingsKey, settings: Settings): Promise<Map<string, string | null>>
  /** Puts what waits into the lanes that the settings ask for, within the transaction that changes them. */
  reorderQueue(tx: Tx, key: SettingsKey, settings: Settings, lanes: Map<string, string | null>): Promise<void>
  /** Called once a change is through. */
  onChange(key: SettingsKey): void
}

const overlapHours = 24

export async function enableWebhook(deps: ChangeDeps, principal: Principal, workflowId: string, body: GivenSettings) {
  const given = checkGiven(body)
  await checkSkipScript(deps, given.skipScript)
  const scope = scopeOf(principal)
  const key = { workflowId, accountId: scope.accountId }
  const lanes = await lookUpNewLanes(deps, scope, key, given)
  const answer = await deps.database.forScope(scope).transaction(async (tx) => {
    const workflow = await lockWorkflow(tx, key.accountId, workflowId)
    if (!workflow) throw notFound('workflow')
    if (workflow.state === 'archived')
      throw new AppError('workflow_archived', 'The workflow is archived, so it cannot take requests.')
    const stored = await findSettingsForUpdate(tx, key.accountId, workflowId)
    const settings = mergeSettings(stored, given)
    const made = { version: newId(), by: principal.caller.id }
    const url = deps.addressOf(workflowId, settings.urlParameters)
    if (!stored && given.secret === maskedValue)
      throw invalid(
        `The field secret is ${maskedValue}, but nothing is stored for it. Give the secret itself, or leave it out.`,
      )
    const isReplaced = given.secret !== undefined && given.secret !== maskedValue
    const secret = given.secret ?? generateSecret()
    if (stored) {
      const replaced = isReplaced ? await replaceSecret(deps, key, stored.sealedSecret, secret) : undefined
      await updateSettings(tx, key, settings, { ...made, ...(replaced && { secret: replaced }) })
    } else {
      const sealedSecret = await sealSecret(deps.keyRing, key, 'sealed_secret', secret)
      await insertSettings(tx, key, settings, { ...made, sealedSecret })
    }
    const [resumed] = await Promise.all([
      resumeByHand(deps.publish, tx, key.accountId, workflowId),
      setActive(tx, key, true),
      recordAudit(tx, actorOf(principal), {
        action: workflow.isActive ? 'webhook.changed' : 'webhook.enabled',
        target: workflowId,
        details: { ...settings, isSecretReplaced: stored !== undefined && isReplaced },
      }),
    ])
    if (!stored || isReordered(stored, settings)) await deps.reorderQueue(tx, key, settings, lanes)
    const wait = resumed && describeWait(resumed)
    if (stored) return { url, ...(wait !== undefined && { message: wait }) }
    return { url, secret, message: wait === undefined ? explainSecret : `${explainSecret} ${wait}` }
  })
  deps.onChange(key)
  return answer
}

const explainSecret =
  'The webhook is enabled. Keep the secret: it is not shown again. Senders sign the raw body with HMAC-SHA256 and send the signature ' +
  'in the header X-Patchbay-Signature: sha256=<hex>, as Standard Webhooks (webhook-id, webhook-timestamp, webhook-signature), or in the ' +
  'format of GitHub, Stripe, Shopify, WooCommerce, Slack, Svix, Xero, QuickBooks or HubSpot. A sender that cannot sign sends the secret ' +
  'itself in X-Webhook-Secret. For any other HMAC format, use the setting signature.'

export async function disableWebhook(
  deps: ChangeDeps,
  principal: Principal,
  workflowId: string,
  withClean: boolean,
): Promise<string> {
  const scope = scopeOf(principal)
  const key = { workflowId, accountId: scope.accountId }
  await deps.database.forScope(scope).transaction(async (tx) => {
    const workflow = await lockWorkflow(tx, key.accountId, workflowId)
    if (!workflow) throw notFound('workflow')
    const stored = await findSettingsForUpdate(tx, key.accountId, workflowId)
    // Repeating it is harmless and leaves no trace.
    if (!workflow.isActive && !(withClean && stored)) return
    await Promise.all([
      setActive(tx, key, false),
      withClean ? deleteSettings(tx, key) : undefined,
      recordAudit(tx, actorOf(principal), {
        action: withClean ? 'webhook.cleaned' : 'webhook.disabled',
        target: workflowId,
      }),
    ])
  })
  deps.onChange(key)
  return withClean ? 'The webhook is disabled and its settings are deleted.' : 'The webhook is disabled.'
}

function isReordered(stored: Settings, wanted: Settings): boolean {
  return stored.strictOrderProcessing !== wanted.strictOrderProcessing || stored.orderKey !== wanted.orderKey
}

async function lookUpNewLanes(deps: ChangeDeps, scope: Scope, key: SettingsKey, given: GivenSettings) {
  const found = await findSettings(deps.database.forScope(scope), key.accountId, key.workflowId)
  if (!found) throw notFound('workflow')
  const settings = mergeSettings(found.settings, given)
  return !found.settings || isReordered(found.settings, settings)
    ? deps.lookUpLanes(key, settings)
    : new Map<string, string | null>()
}

async function checkSkipScript(deps: ChangeDeps, script: string | undefined): Promise<void> {
  if (script === undefined || script.trim() === '') return
  if (script.includes('\0')) throw invalid('The field skipScript must not contain a NUL character.')
  const check = await deps.checkScript(script)
  if (!check.ok)
    throw invalid(
      `The field skipScript is not a valid script: ${check.message} (line ${check.line}, column ${check.column}).`,
    )
}

/** Undefined when it is the secret in force already: then the one before it keeps its time. */
async function replaceSecret(deps: ChangeDeps, key: SettingsKey, sealedCurrent: Buffer, secret: string) {
  const current = await openSecret(deps.keyRing, key, 'sealed_secret', sealedCurrent)
  if (current === secret) return undefined
  const [sealed, sealedPrevious] = await Promise.all([
    sealSecret(deps.keyRing, key, 'sealed_secret', secret),
    sealSecret(deps.keyRing, key, 'sealed_previous_secret', current),
  ])
  return { sealed, sealedPrevious, overlapHours }
}
