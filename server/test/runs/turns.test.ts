import { describe, expect, it } from 'vitest'
import { Turns, turnLength, type WaitingAccount } from '../../src/runs/dispatch/turns.ts'

const old = 60_000
const account = (accountId: string, organizationId = 'one', waitedMs = old, count = turnLength): WaitingAccount => ({
  accountId,
  organizationId,
  waitedMs,
  count,
})
const many = (count: number, organizationId = 'one') =>
  Array.from({ length: count }, (_, index) => account(`${organizationId} ${index}`, organizationId))
const countOf = (takes: readonly { accountId: string; count: number }[], accountId: string) =>
  takes.find((take) => take.accountId === accountId)?.count ?? 0

describe('turns', () => {
  it('go over all accounts before anybody has a second one', () => {
    const turns = new Turns(64)
    const waiting = many(200)
    const served = new Map<string, number>()
    for (let round = 0; round < 40; round++)
      for (const { accountId, count } of turns.plan(waiting, new Map()).takes)
        served.set(accountId, (served.get(accountId) ?? 0) + count)
    expect(served.size).toBe(200)
    const counts = [...served.values()]
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(turnLength)
  })

  it('are several runs long, so that scripts of one account follow each other', () => {
    const { takes } = new Turns(256).plan(many(1000), new Map())
    expect(takes.map(({ count }) => count)).toEqual(Array.from({ length: 28 }, () => 8))
  })

  it('are no longer than what waits, so that no slot stays empty', () => {
    const waiting = many(1000).map((one) => ({ ...one, count: 1 }))
    expect(new Turns(256).plan(waiting, new Map()).takes).toHaveLength(224)
    const [few] = new Turns(256).plan([{ ...account('few'), count: 3 }], new Map()).takes
    expect(few).toEqual({ accountId: 'few', count: 3 })
  })

  it('are short where there are few slots', () => {
    const { takes } = new Turns(16).plan(many(40), new Map())
    expect(takes.map(({ count }) => count)).toEqual(Array.from({ length: 7 }, () => 2))
  })

  it('go over organizations first, however many accounts one has', () => {
    const turns = new Turns(64)
    const waiting = [...many(100, 'large'), account('alone', 'small')]
    const organizations = new Map<string, number>()
    for (let round = 0; round < 20; round++)
      for (const { accountId, count } of turns.plan(waiting, new Map()).takes) {
        const organization = accountId === 'alone' ? 'small' : 'large'
        organizations.set(organization, (organizations.get(organization) ?? 0) + count)
      }
    // The one account of the small one is served in every round, those of the large one about every other time.
    expect(organizations.get('small')).toBeGreaterThanOrEqual(20)
  })

  it('leave a share to the account that comes next', () => {
    const { takes } = new Turns(256).plan([account('noisy')], new Map())
    expect(countOf(takes, 'noisy')).toBe(128)
    expect(new Turns(256).plan([account('noisy')], new Map([['noisy', 128]])).takes).toEqual([])
  })

  it('are not waited for by an account that has just begun to wait, also when the others hold all they may', () => {
    const turns = new Turns(64)
    const noisy = many(200)
    const inHand = new Map(noisy.slice(0, 56).map(({ accountId }) => [accountId, 1]))
    const { takes, first } = turns.plan([...noisy, account('quiet', 'one', 5)], inHand)
    expect(takes).toEqual([{ accountId: 'quiet', count: 1 }])
    expect([...first]).toEqual(['quiet'])
  })

  it('are even when each account has one run at a time', () => {
    const turns = new Turns(16)
    const counts = new Map(many(60).map(({ accountId }) => [accountId, 0]))
    const inHand = new Map<string, number>()
    // Each files its next run as soon as the one before has ended, so all of them have only just begun to wait.
    for (let round = 0; round < 600; round++) {
      const waiting = many(60).flatMap((one) => (inHand.has(one.accountId) ? [] : { ...one, waitedMs: 5, count: 1 }))
      const { takes } = turns.plan(waiting, inHand)
      inHand.clear()
      for (const { accountId, count } of takes) {
        inHand.set(accountId, count)
        counts.set(accountId, (counts.get(accountId) as number) + count)
      }
    }
    expect(Math.max(...counts.values()) - Math.min(...counts.values())).toBeLessThanOrEqual(2)
  })

  it('go on although ever more accounts have just begun to wait', () => {
    const fresh = Array.from({ length: 100 }, (_, index) => account(`fresh ${index}`, 'one', 5))
    const { takes, first } = new Turns(64).plan([...fresh, ...many(10, 'patient')], new Map())
    expect(first.size).toBe(32)
    expect(takes.filter(({ accountId }) => accountId.startsWith('patient'))).not.toHaveLength(0)
  })

  it('never take more than there are slots', () => {
    const turns = new Turns(16)
    for (let used = 0; used <= 16; used++) {
      const { takes } = turns.plan(many(40), new Map([['other', used]]))
      expect(takes.reduce((sum, { count }) => sum + count, 0)).toBeLessThanOrEqual(16 - used)
    }
  })
})
