import { describe, expect, it } from 'vitest'
import { networkOf } from '../../src/lib/address-network.ts'
import { FairShares } from '../../src/lib/fair-shares.ts'

const shares = () =>
  new FairShares({
    all: 20,
    crowdedFrom: 15,
    levels: [
      { max: 5, maxWhenCrowded: 1 },
      { max: 10, maxWhenCrowded: 2 },
    ],
  })

describe('fair shares', () => {
  it('nobody takes more than its share, nor a group more than its own', () => {
    const places = shares()
    expect(places.take(['a', 'x'], 5)).toBeUndefined()
    expect(places.take(['a', 'x'], 1)).toBe('own')
    expect(places.take(['b', 'x'], 5)).toBeUndefined()
    expect(places.take(['c', 'x'], 1)).toBe('own')
    expect(places.take(['d', 'y'], 5)).toBeUndefined()
  })
  it('a group may have half of what the others leave', () => {
    const slots = new FairShares({
      all: 100,
      crowdedFrom: 100,
      levels: [{ max: 60, maxWhenCrowded: 60 }, { partOfRest: 0.5 }],
    })
    expect(slots.take(['a', 'x'], 50)).toBeUndefined()
    expect(slots.take(['b', 'x'], 1)).toBe('own')
    expect(slots.take(['c', 'y'], 25)).toBeUndefined()
    expect(slots.take(['d', 'y'], 1)).toBe('own')
    expect(slots.take(['e', 'z'], 12)).toBeUndefined()
    slots.give(['a', 'x'], 50)
    expect(slots.take(['d', 'y'], 18)).toBeUndefined()
    expect(slots.take(['d', 'y'], 1)).toBeUndefined()
    expect(slots.take(['d', 'y'], 1)).toBe('own')
  })
  it('what is left when most is taken is for those who hold little', () => {
    const places = shares()
    for (const [name, group] of [
      ['a', 'x'],
      ['b', 'x'],
      ['d', 'y'],
    ] as const)
      places.take([name, group], 5)
    expect(places.take(['e', 'y'], 1)).toBe('own')
    for (const name of ['f', 'g']) expect(places.take([name, 'z'], 1)).toBeUndefined()
    expect(places.take(['f', 'z'], 1)).toBe('own')
    for (const group of ['s', 't', 'u']) expect(places.take([group, group], 1)).toBeUndefined()
    expect(places.take(['v', 'v'], 1)).toBe('all')
  })
  it('what is given back can be taken again, and a refusal takes nothing', () => {
    const places = shares()
    places.take(['a', 'x'], 5)
    places.take(['a', 'x'], 5)
    expect(places.used).toBe(5)
    places.give(['a', 'x'], 5)
    expect(places.used).toBe(0)
    expect(places.take(['a', 'x'], 5)).toBeUndefined()
  })
})

describe('the network of an address', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', ''],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})
