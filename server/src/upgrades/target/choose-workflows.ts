import type { Reach } from '../../access/index.ts'
import type { Queryable } from '../../db/index.ts'
import { notFound } from '../../lib/app-error.ts'
import { type Follower, listFollowers, listReachable } from '../../workflows/index.ts'
import { isNewer, refuse, type Target } from './target.ts'

/** The workflows that are meant: those that are named, or all that follow the template. */
export async function chooseWorkflows(
  db: Queryable,
  reach: Reach,
  target: Target,
  given: readonly string[] | undefined,
): Promise<Follower[]> {
  const followers = await listFollowers(db, reach, target.workflowTemplateId)
  const named = given && new Set(given)
  const chosen = named ? followers.filter(({ id }) => named.has(id)) : followers
  if (named && chosen.length < named.size) await refuseStrangers(db, reach, named, followers)
  refuseOlder(target, chosen, named !== undefined)
  return chosen
}

async function refuseStrangers(
  db: Queryable,
  reach: Reach,
  named: ReadonlySet<string>,
  followers: readonly Follower[],
): Promise<void> {
  const known = new Set(followers.map(({ id }) => id))
  const others = [...named].filter((id) => !known.has(id))
  const reachable = await listReachable(db, reach, others)
  if (others.some((id) => !reachable.has(id))) throw notFound('workflow')
  throw refuse(`Workflow ${others[0]} was not made from this template.`)
}

/** There is no way back to an older version: restore a revision, or roll the upgrade back. */
function refuseOlder(target: Target, chosen: readonly Follower[], isNamed: boolean): void {
  const active = chosen.filter(({ state }) => state !== 'archived')
  const newer = active.filter(({ templateVersion }) => isNewer(target, templateVersion))
  if (newer.length === 0 || (!isNamed && newer.length < active.length)) return
  throw refuse(
    `The field toVersion is ${target.version}, which is older than version ${newer[0]?.templateVersion} of workflow ${newer[0]?.id}. Restore an earlier revision of the workflow instead.`,
  )
}
