import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { planFetch } from '../../src/runs/dispatch/fair-share.ts'

describe('planFetch', () => {
  const accounts = fc.array(fc.tuple(fc.uuid(), fc.integer({ min: 1, max: 64 })), { maxLength: 40 })

  it('never lets an account exceed an equal share, whoever the fetched jobs belong to', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 256 }), accounts, (slots, given) => {
        const inHand = new Map(given)
        const plan = planFetch(slots, inHand)
        if (!plan) return
        const share = Math.max(1, Math.floor(slots / (Math.max(1, inHand.size) + 1)))
        for (const count of inHand.values()) if (count < share) expect(count + plan.count).toBeLessThanOrEqual(share)
        expect(plan.count).toBeLessThanOrEqual(share)
      }),
    )
  })

  it('never takes more than there are slots', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 256 }), accounts, (slots, given) => {
        const inHand = new Map(given)
        const used = [...inHand.values()].reduce((sum, count) => sum + count, 0)
        expect(planFetch(slots, inHand)?.count ?? 0).toBeLessThanOrEqual(Math.max(0, slots - used))
      }),
    )
  })

  it('always has room for an account that comes next, while the others keep to their shares', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 20 }), (count) => {
        const slots = 64
        const share = Math.floor(slots / (count + 1))
        const inHand = new Map(Array.from({ length: count }, (_, index) => [`account ${index}`, share]))
        const plan = planFetch(slots, inHand)
        expect(plan?.count).toBeGreaterThanOrEqual(1)
        expect(plan?.hasFullShare).toBe(true)
      }),
    )
  })
})
