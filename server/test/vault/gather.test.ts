import { describe, expect, it } from 'vitest'
import { AppError } from '../../src/lib/app-error.ts'
import { createGathering } from '../../src/vault/gather.ts'

/** A database that answers when it is told to, and remembers what it was asked. */
function slowDatabase() {
  const asked: { items: string[]; answer: (fault?: unknown) => void }[] = []
  const together = (items: string[]) =>
    new Promise<string[]>((resolve, reject) => {
      const answer = (fault?: unknown) =>
        fault === undefined ? resolve(items.map((item) => `${item}!`)) : reject(fault)
      asked.push({ items, answer })
    })
  return { asked, together }
}

const turn = () => new Promise((done) => setImmediate(done))
const options = { batchesAtOnce: 1, itemsMax: 10 }

describe('what is asked in the same moment', () => {
  it('goes together, and what comes later goes with the next, each with its own answer', async () => {
    const { asked, together } = slowDatabase()
    const ask = createGathering<string, string>(options)
    const first = [ask('p', 'a', together), ask('p', 'b', together)]
    await turn()
    const later = ask('p', 'c', together)
    await turn()
    expect(asked.map(({ items }) => items)).toEqual([['a', 'b']])
    asked[0]?.answer()
    expect(await Promise.all(first)).toEqual(['a!', 'b!'])
    await turn()
    expect(asked.map(({ items }) => items)).toEqual([['a', 'b'], ['c']])
    asked[1]?.answer()
    expect(await later).toBe('c!')
  })

  it('of different places goes by itself', async () => {
    const { asked, together } = slowDatabase()
    const ask = createGathering<string, string>(options)
    const both = [ask('p', 'a', together), ask('q', 'b', together)]
    await turn()
    expect(asked.map(({ items }) => items)).toEqual([['a'], ['b']])
    for (const { answer } of asked) answer()
    expect(await Promise.all(both)).toEqual(['a!', 'b!'])
  })

  it('is tried one by one when one of it is refused', async () => {
    const ask = createGathering<string, string>(options)
    const refuse = async (items: string[]) => {
      if (items.includes('bad')) throw new AppError('not_found', 'The thing was not found.')
      return items
    }
    const asked = await Promise.allSettled(['a', 'bad', 'c'].map((item) => ask('p', item, refuse)))
    expect(asked.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })

  it('fails together when the database is away, without waiting for it again and again', async () => {
    const { asked, together } = slowDatabase()
    const ask = createGathering<string, string>(options)
    const all = Promise.allSettled(['a', 'b', 'c'].map((item) => ask('p', item, together)))
    await turn()
    asked[0]?.answer(new Error('timeout exceeded when trying to connect'))
    expect((await all).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(asked).toHaveLength(1)
  })
})
