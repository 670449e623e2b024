// What needs attention, grouped by cause. Pure: the same entries make the same incidents.
import { createHash } from 'node:crypto'
import type { AnswerOf, Operations } from '@patchbay/contract'
import { counted } from '../lib/counted.ts'

export type Attention = AnswerOf<Operations['Overview']>['attention'][number]
export type Incident = AnswerOf<Operations['Incidents']>['items'][number]
type HitWorkflow = Incident['workflows'][number]

const workflowsMax = 1_000

/** Each has one button of its own, so they are never one incident. */
const aloneKinds: readonly Attention['kind'][] = ['connection.faulted', 'connection.waiting']
/** What waits for somebody comes after what stops work. */
const waitingKinds: readonly Attention['kind'][] = ['mail.held', 'connection.waiting', 'webhook.waiting']
const actions: { readonly [Kind in Attention['kind']]?: Incident['action'] } = {
  'connection.faulted': 'reconnect',
  'connection.waiting': 'reconnect',
  'workflow.failing': 'retry',
  'workflow.paused': 'resume',
}

/** `pausedBy`: deployed workflows that use a connection, by its id. */
export function groupIncidents(
  entries: readonly Attention[],
  pausedBy: ReadonlyMap<string, readonly HitWorkflow[]>,
): Incident[] {
  const groups = Map.groupBy(entries, keyOf)
  const incidents = [...groups].map(([key, group]) => toIncident(key, group, pausedBy))
  return incidents.sort(
    (one, other) =>
      weightOf(one) - weightOf(other) || (one.sinceDateTimeUTC ?? '').localeCompare(other.sinceDateTimeUTC ?? ''),
  )
}

/** The same error of two customers differs in ids and numbers only: of an order, a request, a moment. */
function keyOf({ kind, message, targetId }: Attention): string {
  if (aloneKinds.includes(kind)) return `${kind} ${targetId}`
  if (kind === 'mail.held') return kind
  return `${kind} ${message.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, '#').replaceAll(/\d+/g, '#')}`
}

function weightOf({ kind }: Incident): number {
  if (kind === 'storage.full') return 0
  return waitingKinds.includes(kind) ? 2 : 1
}

function toIncident(
  key: string,
  group: readonly Attention[],
  pausedBy: ReadonlyMap<string, readonly HitWorkflow[]>,
): Incident {
  const sorted = group.toSorted((one, other) =>
    (one.sinceDateTimeUTC ?? '').localeCompare(other.sinceDateTimeUTC ?? ''),
  )
  const [first] = sorted as [Attention, ...Attention[]]
  const accounts = new Map(
    sorted.map(({ accountId, accountName, accountEmail }) => [accountId, { accountId, accountName, accountEmail }]),
  )
  const workflows = /^(workflow|webhook)\./.test(first.kind)
    ? sorted.map(({ targetId, title, accountId }) => ({ workflowId: targetId, workflowName: title, accountId }))
    : [...(pausedBy.get(first.targetId) ?? [])]
  return {
    id: createHash('sha256').update(key).digest('hex').slice(0, 32),
    kind: first.kind,
    title: titleOf(sorted, accounts.size),
    message: messageOf(sorted),
    sinceDateTimeUTC: first.sinceDateTimeUTC,
    accounts: [...accounts.values()],
    workflows: workflows.slice(0, workflowsMax),
    regApplicationId: first.kind.startsWith('connection.') ? first.targetId : null,
    action: actions[first.kind] ?? 'open',
  }
}

function titleOf(group: readonly Attention[], accounts: number): string {
  const [first] = group as [Attention, ...Attention[]]
  if (group.length === 1) return first.title
  if (new Set(group.map(({ title }) => title)).size === 1 && accounts > 1) {
    return `${first.title} of ${counted(accounts, 'customer')}`
  }
  const what = /^(workflow|webhook)\.|^alarm$/.test(first.kind) ? 'workflow' : 'account'
  const things = counted(group.length, what)
  return what === 'workflow' && accounts > 1 ? `${things} of ${counted(accounts, 'customer')}` : things
}

/** Where the numbers differ, the newest stands for all. */
function messageOf(group: readonly Attention[]): string {
  const newest = group.at(-1) as Attention
  if (newest.kind !== 'mail.held' || group.length === 1) return newest.message
  return 'E-mails are held: no mail server is configured.'
}
