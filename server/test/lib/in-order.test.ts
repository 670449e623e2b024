import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { inOrder, type Queryable, type Statement, sql } from '../../src/db/index.ts'

/** Notes what is sent, and answers later. */
function startDatabase() {
  const sent: string[] = []
  const db: Queryable = {
    query: async (statement: Statement) => {
      sent.push(statement.toQuery().text)
      await wait(1)
      return { rows: [], rowCount: sent.length }
    },
  }
  return { db, sent }
}

describe('statements whose order counts', () => {
  it('are all sent before the first is answered, and answer in their places', async () => {
    const { db, sent } = startDatabase()
    const answers = inOrder(db, [
      (tx) => tx.query(sql`first`),
      () => undefined,
      async (tx) => (await tx.query(sql`second`)).rowCount,
    ])
    expect(sent).toEqual(['first', 'second'])
    const [first, nothing, second] = await answers
    expect([first.rows, nothing, second]).toEqual([[], undefined, 2])
  })

  it('are refused when one more await would send one of them behind the next', async () => {
    const { db, sent } = startDatabase()
    const answers = inOrder(db, [
      async (tx) => {
        await wait(1)
        await tx.query(sql`late`)
      },
      (tx) => tx.query(sql`next`),
    ])
    await expect(answers).rejects.toThrow('Step 1 of 2 sends its statement too late')
    expect(sent).toEqual(['next'])
  })

  it('leave the last step its time', async () => {
    const { db, sent } = startDatabase()
    await inOrder(db, [
      (tx) => tx.query(sql`first`),
      async (tx) => {
        await tx.query(sql`last`)
        await tx.query(sql`last again`)
      },
    ])
    expect(sent).toEqual(['first', 'last', 'last again'])
  })

  it('fail as one when a step fails at once', async () => {
    const { db } = startDatabase()
    const steps = [
      (tx: Queryable) => tx.query(sql`first`),
      () => {
        throw new Error('not now')
      },
    ]
    await expect(inOrder(db, steps)).rejects.toThrow('not now')
  })
})
