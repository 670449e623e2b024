// The outbox: a mail is a row, sealed, written in the transaction of what caused it.
//   Held (no SMTP configured) -> Queued -> Sent | Failed
import { setImmediate } from 'node:timers/promises'
import { sql, type Tx } from '../db/index.ts'
import { newId } from '../lib/id.ts'
import { largeTextMin } from '../lib/json-text.ts'
import type { JobQueue } from '../queue/index.ts'
import { type DataKey, type KeyRing, type Place, seal } from '../secrets/index.ts'
import type { StorageLedger } from '../storage/index.ts'
import type { MailContent } from './mail-content.ts'
import { writeContent } from './stored-mail.ts'

export const mailQueue = 'mail'

export type Outbox = {
  /** `sealWith` is for an account whose data key is made in the same transaction and cannot be looked up yet. */
  enqueue(tx: Tx, accountId: string, content: MailContent, sealWith?: DataKey): Promise<string>
}

export type OutboxDeps = {
  keyRing: KeyRing
  jobs: JobQueue
  canSend: boolean
  ledger: Pick<StorageLedger, 'add'>
}

export function createOutbox(deps: OutboxDeps): Outbox {
  return {
    async enqueue(tx, accountId, content, sealWith) {
      const id = newId()
      const place = mailPlace(id, accountId)
      const plain = writeContent(content)
      if (plain.length > largeTextMin) await setImmediate()
      const sealed = sealWith ? seal(sealWith, place, plain) : await deps.keyRing.seal(place, plain)
      // Writing, sealing and sending a large attachment take tens of milliseconds each: others go first in between.
      if (sealed.length > largeTextMin) await setImmediate()
      const recipients = [...content.to, ...(content.cc ?? []), ...(content.bcc ?? [])]
      const filed = tx.query(sql`
        insert into mails (id, account_id, status, sealed_content, subject, recipients)
        values (${id}, ${accountId}, ${deps.canSend ? 'Queued' : 'Held'}, ${sealed}, ${content.subject}, ${recipients})`)
      // Both statements travel together; neither needs the other's answer.
      const job = { data: { mailId: id }, groupId: accountId }
      await Promise.all([filed, deps.canSend ? deps.jobs.sendMany(tx, mailQueue, [job]) : undefined])
      tx.afterCommit(() => deps.ledger.add(accountId, sealed.length))
      return id
    },
  }
}

export function mailPlace(mailId: string, accountId: string): Place {
  return { table: 'mails', column: 'sealed_content', rowId: mailId, accountId }
}
