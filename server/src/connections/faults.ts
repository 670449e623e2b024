// The fault state: sound -> faulted (the provider refused to renew a token, or the target refused the credentials) -> sound (the next success).
// Each change is one transaction with its audit row; becoming faulted also files one mail.
import { recordAudit } from '../audit/index.ts'
import type { Database, Scope, Tx } from '../db/index.ts'
import type { Outbox } from '../mail/index.ts'
import type { Connection, FaultChange } from './connection.ts'
import { clearFault, type FaultSource, setFault } from './fault-store.ts'
import { maskSecrets } from './mask-secrets.ts'
import type { OpenedConnection, OpenedConnections } from './opened-connection.ts'
import { createReconnectLink } from './reconnect-link.ts'

const messageLengthMax = 1000

export type Faults = {
  set(opened: OpenedConnection, source: FaultSource, message: string): Promise<void>
  /** A renewed token clears only what a failed renewal has set; an answer of the target clears everything. */
  clear(opened: OpenedConnection, source: FaultSource): Promise<void>
  /** For changes that were made together with others, after they are committed. */
  announce(change: FaultChange): void
  onChange(listener: (change: FaultChange) => void): void
}

export type FaultDeps = {
  database: Database
  outbox: Outbox
  opened: OpenedConnections
  baseUrl: () => string
  onFault: (error: unknown) => void
}

export function createFaults(deps: FaultDeps): Faults {
  const listeners: ((change: FaultChange) => void)[] = []

  const announce = (change: FaultChange): void => {
    for (const listener of listeners) {
      try {
        listener(change)
      } catch (error) {
        // A listener's fault must not turn a call that succeeded into one that failed.
        deps.onFault(error)
      }
    }
  }

  const changed = (opened: OpenedConnection, isFaulted: boolean): void => {
    deps.opened.forget(opened)
    announce({ accountId: opened.scope.accountId, regApplicationId: opened.connection.id, isFaulted })
  }

  return {
    announce,
    onChange: (listener) => void listeners.push(listener),
    async set(opened, source, message) {
      const { scope, connection } = opened
      const words = maskSecrets(message, opened.secrets).replaceAll('\0', '').slice(0, messageLengthMax)
      const isNew = await deps.database.forScope(scope).transaction(async (tx) => {
        const before = await setFault(tx, scope.accountId, connection.id, source, words)
        if (!before?.isNew) return false
        await Promise.all([
          recordAudit(tx, serviceOf(scope), 'registeredApplication.faulted', connection.id),
          before.mailTo === null ? undefined : mailOwner(deps, tx, opened, before.mailTo, words),
        ])
        return true
      })
      if (isNew) changed(opened, true)
    },
    async clear(opened, source) {
      if (!opened.connection.isFaulted) return
      const { scope, connection } = opened
      const wasFaulted = await deps.database.forScope(scope).transaction(async (tx) => {
        if (!(await clearFault(tx, scope.accountId, connection.id, source))) return false
        await recordAudit(tx, serviceOf(scope), 'registeredApplication.recovered', connection.id)
        return true
      })
      if (wasFaulted) changed(opened, false)
      else deps.opened.forget(opened)
    },
  }
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
  to: string,
  words: string,
): Promise<void> {
  const link = await createReconnectLink(tx, scope.accountId, connection.id, deps.baseUrl())
  const label = connection.tagText === '' ? connection.name : `${connection.name} (${connection.tagText})`
  await deps.outbox.enqueue(tx, scope.accountId, {
    to: [to],
    subject: `Connection to ${oneLine(label)} needs your attention`,
    text: [
      `Patchbay can no longer sign in to ${label}.`,
      '',
      `What went wrong: ${words}`,
      '',
      'Workflows that start by themselves and use this connection wait until it works again.',
      `Connect it again here (the link works for seven days): ${link}`,
    ].join('\n'),
  })
}

function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not get into a header.
  return text.replaceAll(/[\u0000-\u001f\u007f]+/g, ' ').slice(0, 120)
}
