// An application of the organization was changed so that credentials would go elsewhere. Whoever entrusted theirs to it before is asked
// for them again; until then nothing is sent, and workflows that start by themselves wait.
import { recordAudit } from '../../audit/index.ts'
import { type Queryable, sql, type Tx } from '../../db/index.ts'
import { mustBeGivenAgain } from '../credentials/withdrawn.ts'
import { type FaultDeps, type Faults, mailOwner, serviceOf } from './faults.ts'

type Deps = FaultDeps & { faults: Faults }
type Withdrawn = { id: string; account_id: string; short_name: string; name: string; tag_text: string; email: string }

/** `tx` must see every account of the organization. */
export async function withdrawCredentials(
  deps: Deps,
  tx: Tx,
  organizationId: string,
  { id: applicationId, shortName }: { id: string; shortName: string },
): Promise<void> {
  const words = mustBeGivenAgain(shortName)
  for (const one of await withdraw(tx, organizationId, applicationId, words)) {
    const scope = { organizationId, accountId: one.account_id }
    const connection = { id: one.id, shortName: one.short_name, name: one.name, tagText: one.tag_text }
    await Promise.all([
      recordAudit(tx, serviceOf(scope), { action: 'registeredApplication.faulted', target: one.id }),
      mailOwner(deps, tx, { scope, connection }, { to: one.email, words }),
      deps.faults.tell(tx, scope.accountId, { connection, message: words, isMailed: true }),
    ])
    tx.afterCommit(() => deps.opened.forget({ scope, connection }))
  }
}

async function withdraw(tx: Queryable, organizationId: string, applicationId: string, words: string) {
  const instances = sql`select id from registered_applications where organization_id = ${organizationId} and application_id = ${applicationId}`
  const [{ rows }] = await Promise.all([
    tx.query<Withdrawn>(sql`
      update registered_applications r set is_authenticated = false, fault_message = ${words}, fault_source = 'target',
        faulted_at = coalesce(r.faulted_at, now()), fault_mailed_at = now(), next_check_at = null
      from accounts a
      where a.id = r.account_id and r.organization_id = ${organizationId} and r.application_id = ${applicationId} and r.is_authenticated
      returning r.id, r.account_id, r.short_name, r.name, r.tag_text, a.email`),
    // Tokens are credentials too, and an authorization under way would end at the new address.
    tx.query(sql`delete from connection_tokens where registered_application_id in (${instances})`),
    tx.query(sql`delete from oauth_states where registered_application_id in (${instances})`),
  ])
  return rows
}
