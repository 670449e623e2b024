// What is to the right of this room and passed in by the composition root.
import type { Queryable, Tx } from '../db/index.ts'

/**
 * The application now sends credentials elsewhere, so those that its registered instances hold must be given anew. The transaction
 * sees every account of the organization.
 */
export type WithdrawCredentials = (
  tx: Tx,
  organizationId: string,
  application: { id: string; shortName: string },
) => Promise<void>

/** Somebody who uses an item, in one of the organization's accounts. */
export type Use = { id: string; accountId: string; accountCreatedBy: string | null }

/** Asked on a connection that sees every account of the organization. Archived workflows use nothing any more. */
export type CatalogUses = {
  registeredApplications(db: Queryable, organizationId: string, applicationId: string): Promise<Use[]>
  workflows(
    db: Queryable,
    organizationId: string,
    of: { applicationShortName: string } | { blockTemplateId: string } | { workflowTemplateId: string },
  ): Promise<Use[]>
  /** Those with the word in one of their scripts that `isCalled` then judges. */
  workflowsCalling(
    db: Queryable,
    organizationId: string,
    word: string,
    isCalled: (script: string) => boolean,
  ): Promise<Use[]>
}
