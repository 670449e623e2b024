import { type Queryable, sql, type Tx } from '../../db/index.ts'

export async function lockCalls(tx: Tx, accountId: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('sub-workflows of ' || ${accountId}::text, 0))`)
}

/** Those of the ids that the account has. */
export async function holdWorkflows(tx: Queryable, accountId: string, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ id: string }>(sql`
    select id from workflows where account_id = ${accountId} and id = any(${ids}::uuid[]) order by id for key share`)
  return new Set(rows.map(({ id }) => id))
}

/** Workflows other than itself that run it, unless they are archived. */
export async function listUsers(db: Queryable, accountId: string, workflowId: string): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(sql`
    select w.id from workflow_uses u join workflows w on w.id = u.workflow_id
    where u.account_id = ${accountId} and u.kind = 'subWorkflow' and u.target = ${workflowId}::text and w.account_id = ${accountId}
      and w.state <> 'archived' and w.id <> ${workflowId}
    order by w.id`)
  return rows.map(({ id }) => id)
}

/** The names along a way from the workflow back to itself; archived workflows run nothing. */
export async function findCircle(
  db: Queryable,
  accountId: string,
  workflowId: string,
): Promise<readonly string[] | undefined> {
  const { rows } = await db.query<{ id: string; name: string; target: string }>(sql`
    with recursive reached as (
      select ${workflowId}::uuid as id
      union
      select u.target::uuid from reached r join workflows w on w.id = r.id and w.account_id = ${accountId} and w.state <> 'archived'
      join workflow_uses u on u.workflow_id = r.id and u.account_id = ${accountId} and u.kind = 'subWorkflow'
    )
    select w.id, w.name, u.target from reached r join workflows w on w.id = r.id and w.account_id = ${accountId} and w.state <> 'archived'
    join workflow_uses u on u.workflow_id = w.id and u.account_id = ${accountId} and u.kind = 'subWorkflow'`)
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  const next = Map.groupBy(rows, ({ id }) => id)
  const ways: string[][] = [[workflowId]]
  const seen = new Set<string>()
  for (let way = ways.shift(); way; way = ways.shift()) {
    for (const { target } of next.get(way.at(-1) as string) ?? []) {
      if (target === workflowId) return [...way, target].map((id) => names.get(id) ?? id)
      if (seen.has(target)) continue
      seen.add(target)
      ways.push([...way, target])
    }
  }
  return undefined
}
