// A request whose sender wants to know what became of it: the response that its run gave, or that there is none yet.

import type { Database } from '../../db/index.ts'
import type { RawAnswer } from '../../http/index.ts'
import type { JsonText } from '../../lib/json-text.ts'
import type { AwaitedRun, EndWatch } from '../../runs/index.ts'
import { findProgress, type Progress } from './answer-store.ts'
import type { Accepted } from './intake.ts'
import type { KnownWebhook } from './known-webhooks.ts'

export type AwaitDeps = {
  database: Database
  ends: Pick<EndWatch, 'expect'>
  /** The result of a run that ended. */
  readResult(runId: string): Promise<JsonText | null | undefined>
}

const json = 'application/json; charset=utf-8'

export async function awaitAnswer(
  deps: AwaitDeps,
  webhook: Pick<KnownWebhook, 'accountId' | 'organizationId' | 'respondSeconds'>,
  accepted: Accepted,
): Promise<RawAnswer> {
  const { webhookId, kind } = accepted
  const { accountId, organizationId, respondSeconds } = webhook
  const deadline = performance.now() + respondSeconds * 1000
  // With too many of them waiting, the others are told that their requests were taken: they are.
  using waiting = await deps.ends.expect(webhookId, { accountId, organizationId }).catch(() => undefined)
  for (;;) {
    const seen = await findProgress(deps.database.system, webhookId)
    if (seen.answer) return (await toRaw(deps, seen.answer, kind === 'duplicate')) ?? tellAccepted(200, webhookId)
    // Its script skipped it, or it was done before anybody was to be answered.
    if (!seen.isQueued) return tellAccepted(200, webhookId)
    if (isOver(seen, waiting, deadline)) return tellAccepted(202, webhookId)
    await waiting?.next(deadline - performance.now())
  }
}

function isOver({ isPaused }: Progress, waiting: AwaitedRun | undefined, deadline: number): boolean {
  return isPaused || !waiting?.isOpen || performance.now() >= deadline
}

/** Undefined for a repeated delivery whose response was too large to be kept. */
async function toRaw(
  deps: AwaitDeps,
  { statusCode, headers, body, runId, isKept }: NonNullable<Progress['answer']>,
  isRepeated: boolean,
): Promise<RawAnswer | undefined> {
  if (isRepeated && !isKept) return undefined
  const text = body ?? (runId === null ? undefined : (await deps.readResult(runId))?.content) ?? 'null'
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
  const others = headers.filter(([name]) => name.toLowerCase() !== 'content-type')
  return { status: statusCode, contentType: type, body: text, headers: isDocument(type) ? sandboxed(others) : others }
}

/** What a browser would run scripts of. */
function isDocument(contentType: string): boolean {
  return /html|xml/i.test(contentType)
}

function sandboxed(headers: readonly (readonly [string, string])[]): (readonly [string, string])[] {
  const others = headers.filter(([name]) => name.toLowerCase() !== 'content-security-policy')
  return [...others, ['Content-Security-Policy', 'sandbox']]
}

export function tellAccepted(status: 200 | 202, webhookId: string): RawAnswer {
  return { status, contentType: json, body: `{"webhookId":"${webhookId}"}` }
}
