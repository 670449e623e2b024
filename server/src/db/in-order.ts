import type { Queryable } from './database.ts'

/**
 * Statements whose order counts, sent together. Each step sends its statement at once, before the next one begins, so they reach the server in
 * this order within one round trip. Were a step to wait for something first, its statement would slip behind the others; that is refused
 * instead, so the first test that passes here shows it. Only the last step may go on for as long as it likes.
 */
export async function inOrder<Connection extends Queryable, const Steps extends readonly Step<Connection>[]>(
  tx: Connection,
  steps: Steps,
): Promise<{ -readonly [At in keyof Steps]: Awaited<ReturnType<Steps[At]>> }> {
  const results: unknown[] = []
  for (const [index, step] of steps.entries()) {
    let isItsTurn = true
    const query: Queryable['query'] = (statement) => {
      if (isItsTurn) return tx.query(statement)
      throw new Error(`Step ${index + 1} of ${steps.length} sends its statement too late: the next one has been sent.`)
    }
    results.push(begin(() => step({ ...tx, query })))
    if (index < steps.length - 1) isItsTurn = false
  }
  return Promise.all(results) as never
}

type Step<Connection extends Queryable> = (tx: Connection) => Promise<unknown> | undefined

/** What fails at once must not leave the results of the steps before it without anybody who waits for them. */
async function begin(step: () => Promise<unknown> | undefined): Promise<unknown> {
  return step()
}
