import { describe, expect, it } from 'vitest'
import { AccountQueue } from '../../src/sandbox/account-queue.ts'

function filled(counts: Record<string, number>): AccountQueue<{ accountId: string; no: number }> {
  const queue = new AccountQueue<{ accountId: string; no: number }>()
  for (const [accountId, count] of Object.entries(counts))
    for (let no = 1; no <= count; no++) queue.add({ accountId, no })
  return queue
}

function takeNext(queue: AccountQueue<{ accountId: string; no: number }>) {
  const accountId = queue.next()
  return accountId === undefined ? undefined : queue.take(accountId)
}

function takeAccounts(queue: AccountQueue<{ accountId: string; no: number }>): string {
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
    queue.add({ accountId: 'late', no: 1 })
    let waited = 0
    while (takeNext(queue)?.accountId !== 'late') waited++
    expect(waited).toBe(5 + 8)
  })

  it('of an account that may not go on is passed over', () => {
    const queue = filled({ a: 3, b: 1 })
    expect(queue.next((accountId) => accountId !== 'a')).toBe('b')
    queue.take('b')
    expect(queue.next((accountId) => accountId !== 'a')).toBeUndefined()
    expect(queue.next()).toBe('a')
  })

  it('can be taken back as a whole', () => {
    const queue = filled({ a: 2, b: 1 })
    expect(queue.takeAll()).toHaveLength(3)
    expect(queue.size).toBe(0)
    expect(queue.next()).toBeUndefined()
  })
})
