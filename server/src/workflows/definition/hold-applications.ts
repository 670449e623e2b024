// A registered application that is being deleted is not given to a workflow at the same moment: the one who comes second is refused.
import type { Tx } from '../../db/index.ts'
import type { WorkflowConnections } from '../ports.ts'
import type { Definition } from './definition.ts'
import { refuseFor } from './refuse.ts'

type Applications = Definition['applications']

/** `before`: what the workflow has already; that is not given anew. */
export async function holdApplications(
  connections: WorkflowConnections,
  tx: Tx,
  accountId: string,
  { before, next }: { before: Applications; next: Applications },
): Promise<void> {
  const given = Object.entries(next).filter(([name, id]) => before[name] !== id)
  if (given.length === 0) return
  const ids = [...new Set(given.map(([, id]) => id))]
  const deleted = new Set(await connections.hold(tx, accountId, ids))
  refuseFor(
    'workflow_invalid',
    given
      .filter(([, id]) => deleted.has(id))
      .map(([name, id]) => ({
        message: `The field applications.${name} names the registered application ${id}, which has been deleted.`,
      })),
  )
}
