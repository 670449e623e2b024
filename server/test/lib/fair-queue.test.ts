import { describe, expect, it } from 'vitest'
import { FairQueue, type Owner } from '../../src/lib/fair-queue.ts'

type Work = Owner & { no: number }

/** By account; each has an organization of its own, unless its name says another one: `organization/account`. */
function filled(counts: Record<string, number>): FairQueue<Work> {
  const queue = new FairQueue<Work>()
  for (const [name, count] of Object.entries(counts))
    for (let no = 1; no <= count; no++) queue.add({ ...ownerOf(name), no })
  return queue
}

function ownerOf(name: string): Owner {
  const [organizationId, accountId] = name.split('/')
  return { organizationId: organizationId as string, accountId: accountId ?? name }
}

function takeNext(queue: FairQueue<Work>) {
  const owner = queue.next()
  return owner === undefined ? undefined : queue.take(owner)
}

function takeAccounts(queue: FairQueue<Work>): string {
  let accounts = ''
  for (let work = takeNext(queue); work; work = takeNext(queue)) accounts += work.accountId
  return accounts
}

describe('work that waits for a script process', () => {
  it('is taken in turns of eight, whoever came first', () => {
    expect(takeAccounts(filled({ a: 20, b: 1, c: 10 }))).toBe('aaaaaaaabccccccccaaaaaaaaccaaaa')
  })

  it('keeps its order within an account', () => {
    const queue = filled({ a: 12, b: 3 })
    const taken = Array.from({ length: 15 }, () => takeNext(queue))
    const numbers = taken.filter((work) => work?.accountId === 'a').map((work) => work?.no)
    expect(numbers).toEqual(Array.from({ length: 12 }, (_, index) => index + 1))
    expect(takeNext(queue)).toBeUndefined()
    expect(queue.size).toBe(0)
  })

  it('that arrives late waits for one turn of each other account at most', () => {
    const queue = filled({ a: 100, b: 100 })
    for (let count = 0; count < 3; count++) takeNext(queue)
    queue.add({ ...ownerOf('late'), no: 1 })
    let waited = 0
    while (takeNext(queue)?.accountId !== 'late') waited++
    expect(waited).toBe(5 + 8)
  })

  it('of an account that may not go on is passed over', () => {
    const queue = filled({ a: 3, b: 1 })
    expect(queue.next(({ accountId }) => accountId !== 'a')).toEqual(ownerOf('b'))
    queue.take(ownerOf('b'))
    expect(queue.next(({ accountId }) => accountId !== 'a')).toBeUndefined()
    expect(queue.next()).toEqual(ownerOf('a'))
  })

  it('of many accounts of one organization is one turn to another organization', () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`big/a${index}`, 4]))
    const queue = filled({ ...many, 'small/b': 4 })
    let before = 0
    while (takeNext(queue)?.accountId !== 'b') before++
    expect(before).toBe(8)
  })

  it('of the accounts of one organization is taken in turns, too', () => {
    const queue = filled({ 'one/a': 20, 'one/b': 20, 'one/c': 2 })
    // The turn that c leaves unfinished goes on with the next account.
    expect(takeAccounts(queue)).toBe('aaaaaaaabbbbbbbbccaaaaaabbbbbbbbaaaaaabbbb')
  })

  it('that comes back stays in front of its account', () => {
    const queue = filled({ 'one/a': 3, 'one/b': 1 })
    const first = takeNext(queue) as Work
    queue.putBack(first)
    expect(takeNext(queue)).toBe(first)
  })

  it('can be taken back as a whole', () => {
    const queue = filled({ a: 2, b: 1 })
    expect(queue.takeAll()).toHaveLength(3)
    expect(queue.size).toBe(0)
    expect(queue.next()).toBeUndefined()
  })

  it('that goes first is taken before the turns of others, once', () => {
    const queue = filled({ a: 2, b: 1 })
    queue.add({ ...ownerOf('c'), no: 1 }, true)
    queue.add({ ...ownerOf('c'), no: 2 })
    expect(takeAccounts(queue)).toBe('caabc')
  })

  it('that went first and was given up leaves no turn behind', () => {
    const queue = filled({ a: 1 })
    const urgent = { ...ownerOf('c'), no: 1 }
    queue.add(urgent, true)
    queue.remove(urgent)
    expect(takeAccounts(queue)).toBe('a')
  })
})
