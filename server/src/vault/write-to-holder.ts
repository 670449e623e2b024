import { violatedConstraint } from '../db/index.ts'
import { notFound } from '../lib/app-error.ts'

/** A workflow that is deleted in this very moment is one that does not exist; so is an account. */
export async function writeToHolder<Result>(write: Promise<Result>): Promise<Result> {
  try {
    return await write
  } catch (error) {
    const broken = violatedConstraint(error)
    if (broken === 'vault_entries_workflow_id_fkey') throw notFound('workflow')
    if (broken === 'vault_entries_account_id_fkey') throw notFound('account')
    throw error
  }
}
