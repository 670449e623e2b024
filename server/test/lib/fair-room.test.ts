import { expect, it } from 'vitest'
import { FairRoom, type Held } from '../../src/lib/fair-room.ts'

const room = () =>
  new FairRoom({
    all: 8,
    crowdedFrom: 6,
    levels: [
      { max: 4, maxWhenCrowded: 2 },
      { max: 5, maxWhenCrowded: 3 },
    ],
  })

const ann = { organizationId: 'x', accountId: 'ann' }
const bob = { organizationId: 'x', accountId: 'bob' }
const eve = { organizationId: 'y', accountId: 'eve' }
const never = () => new AbortController().signal

/** Enters, and says in `order` when it is inside. */
function enter(places: FairRoom, order: string[], owner: typeof ann, amount = 1, signal = never): Promise<Held> {
  const held = places.enter(owner, amount, signal)
  return Promise.resolve(held).then((given) => {
    order.push(owner.accountId)
    return given
  })
}

it('whoever has its share waits until it leaves something, and others do not wait for it', async () => {
  const places = room()
  const order: string[] = []
  const held = await Promise.all([1, 2, 3, 4].map(() => enter(places, order, ann)))
  const late = enter(places, order, ann)
  await enter(places, order, bob)
  // The organization has its five now; another one has not.
  const later = enter(places, order, bob)
  await enter(places, order, eve)
  expect(order).toEqual(['ann', 'ann', 'ann', 'ann', 'bob', 'eve'])
  held[0]?.leave()
  held[0]?.leave()
  await late
  expect([order.at(-1), places.waiting, places.used]).toEqual(['ann', 1, 6])
  held[1]?.leave()
  await later
  expect(order.at(-1)).toBe('bob')
})

it('organizations take turns', async () => {
  const level = { max: 1, maxWhenCrowded: 1 }
  const places = new FairRoom({ all: 1, crowdedFrom: 1, levels: [level, level] })
  const order: string[] = []
  const first = await enter(places, [], ann)
  const all = [...Array.from({ length: 20 }, () => ann), eve].map(async (owner) =>
    (await enter(places, order, owner)).leave(),
  )
  first.leave()
  await Promise.all(all)
  expect(order.indexOf('eve')).toBeLessThan(10)
})

it('giving up frees the way for whoever is behind, and nothing stays held', async () => {
  const places = room()
  const order: string[] = []
  const held = await enter(places, order, ann, 2)
  await enter(places, order, ann, 2)
  const impatient = new AbortController()
  const given = enter(places, order, ann, 2, () => impatient.signal)
  const behind = enter(places, order, ann, 1)
  impatient.abort(new Error('enough'))
  await expect(given).rejects.toThrow('enough')
  held.shrinkTo(1)
  expect((await behind) !== undefined).toBe(true)
  expect([places.waiting, places.used]).toEqual([0, 4])
})

it('more than anybody may have is let in as the most there is', async () => {
  const places = room()
  const held = await enter(places, [], ann, 1000)
  expect(places.used).toBe(2)
  held.leave()
  expect(places.used).toBe(0)
})

it('whoever stands behind a large one enters when that one gives up', async () => {
  const places = room()
  const order: string[] = []
  await Promise.all([1, 2, 3].map(() => enter(places, order, ann)))
  const impatient = new AbortController()
  const large = enter(places, order, ann, 2, () => impatient.signal)
  const small = enter(places, order, ann)
  expect(places.waiting).toBe(2)
  impatient.abort(new Error('gave up'))
  await expect(large).rejects.toThrow('gave up')
  await small
  expect([order.length, places.waiting, places.used]).toEqual([4, 0, 4])
})
