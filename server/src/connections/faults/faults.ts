// The fault state: sound -> faulted (the provider refused to renew a token, or the target refused the credentials) -> sound (the next success).
// Each change is one transaction with its audit row; becoming faulted also files one mail.
import { recordAudit } from '../../audit/index.ts'
import type { Database, Scope, Tx } from '../../db/index.ts'
import { type NewEvent, type PublishEvents, titleOf } from '../../events/index.ts'
import type { Outbox } from '../../mail/index.ts'
import type { Connection } from '../connection.ts'
import { maskSecrets } from '../credentials/mask-secrets.ts'
import type { OpenedConnection, OpenedConnections } from '../credentials/opened-connection.ts'
import { clearFault, type FaultSource, setFault } from './fault-store.ts'
import { createReconnectLink } from './reconnect-link.ts'

const messageLengthMax = 1000

export type Faults = {
  set(opened: OpenedConnection, source: FaultSource, message: string): Promise<void>
  /** A renewed token clears only what a failed renewal has set; an answer of the target clears everything. */
  clear(opened: OpenedConnection, source: FaultSource): Promise<void>
  /** Tells of a change that is made together with others, in their transaction. */
  tell(tx: Tx, accountId: string, change: FaultChange): Promise<void>
}

type Named = { id: string; name: string; tagText: string }

export type FaultChange = {
  connection: Named
  /** Null: it works again. */
  message: string | null
  /** Whether people are mailed. */
  isMailed: boolean
}

export type FaultDeps = {
  database: Database
  outbox: Outbox
  publish: PublishEvents
  opened: OpenedConnections
  baseUrl: () => string
}

export function createFaults(deps: FaultDeps): Faults {
  const tell: Faults['tell'] = (tx, accountId, change) => deps.publish(tx, [describeChange(accountId, change)])
  return {
    tell,
    async set(opened, source, message) {
      const { scope, connection } = opened
      const words = maskSecrets(message, opened.secrets).replaceAll('\0', '').slice(0, messageLengthMax)
      const isNew = await deps.database.forScope(scope).transaction(async (tx) => {
        const before = await setFault(tx, { accountId: scope.accountId, id: connection.id }, { source, message: words })
        if (!before?.isNew) return false
        await Promise.all([
          recordAudit(tx, serviceOf(scope), { action: 'registeredApplication.faulted', target: connection.id }),
          before.mailTo === null ? undefined : mailOwner(deps, tx, opened, { to: before.mailTo, words }),
          tell(tx, scope.accountId, { connection, message: words, isMailed: before.mailTo !== null }),
        ])
        return true
      })
      if (isNew) deps.opened.forget(opened)
    },
    async clear(opened, source) {
      if (!opened.connection.isFaulted) return
      const { scope, connection } = opened
      await deps.database.forScope(scope).transaction(async (tx) => {
        const cleared = await clearFault(tx, scope.accountId, connection.id, source)
        if (!cleared) return
        await Promise.all([
          recordAudit(tx, serviceOf(scope), { action: 'registeredApplication.recovered', target: connection.id }),
          tell(tx, scope.accountId, { connection, message: null, isMailed: cleared.wasMailed }),
        ])
      })
      deps.opened.forget(opened)
    },
  }
}

/** The owner's mail about a fault carries a link that is for nobody else, so it is written apart. */
function describeChange(accountId: string, { connection, message, isMailed }: FaultChange): NewEvent {
  const label = labelOf(connection)
  const mail =
    message === null
      ? {
          subject: `Connection to ${titleOf(label)} works again`,
          text: `Patchbay can reach ${label} again. Workflows that were waiting for it continue.`,
        }
      : {
          subject: `Connection to ${titleOf(label)} needs attention`,
          text: `Patchbay can no longer sign in to ${label}:\n\n${message}\n\nWorkflows that use this connection are paused until it works again.`,
          isOwnerMailed: true,
        }
  return {
    accountId,
    type: message === null ? 'connection.recovered' : 'connection.faulted',
    data: { regApplicationId: connection.id, ...(message !== null && { errorMessage: message }) },
    ...(isMailed && { mail }),
  }
}

function labelOf({ name, tagText }: Named): string {
  return tagText === '' ? name : `${name} (${tagText})`
}

/** Nobody asked for the change: the service made it. */
export function serviceOf(scope: { organizationId: string; accountId: string }) {
  return {
    organizationId: scope.organizationId,
    accountId: null,
    managedAccountId: scope.accountId,
    keyId: null,
    address: null,
  }
}

export async function mailOwner(
  deps: Pick<FaultDeps, 'outbox' | 'baseUrl'>,
  tx: Tx,
  { scope, connection }: { scope: Scope; connection: Pick<Connection, 'id' | 'name' | 'tagText'> },
  { to, words }: { to: string; words: string },
): Promise<void> {
  const link = await createReconnectLink(tx, scope.accountId, connection.id, deps.baseUrl())
  const label = labelOf(connection)
  await deps.outbox.enqueue(tx, scope.accountId, {
    to: [to],
    subject: `Connection to ${titleOf(label)} needs your attention`,
    text: [
      `Patchbay can no longer sign in to ${label}:`,
      '',
      words,
      '',
      'Scheduled runs and webhooks that use this connection are paused until it works again.',
      `Reconnect it here (the link is valid for seven days): ${link}`,
    ].join('\n'),
  })
}
