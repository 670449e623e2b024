import { describe, expect, it } from 'vitest'
import { ClockComparison } from '../../src/queue/clock-comparison.ts'

/** A look at a clock that is an hour ahead of ours; it was read at `at`, and question and answer took so long. */
const look = (at: number, { asking = 0, answering = 0, setBack = 0 } = {}) => ({
  askedMs: at - asking,
  databaseMs: at + 3_600_000 - setBack,
  answeredMs: at + answering,
})

function compareAll(...readings: ReturnType<typeof look>[]): number[] {
  const comparison = new ClockComparison()
  return readings.map((reading) => comparison.compare(reading))
}

describe('two clocks', () => {
  it('that go alike give nothing, however slow the questions and answers', () => {
    expect(
      compareAll(
        look(0),
        look(3000, { answering: 5000 }),
        look(11_000, { asking: 2000 }),
        look(14_000, { asking: 9000, answering: 9000 }),
        look(40_000),
      ),
    ).toEqual([0, 0, 0, 0, 0])
  })

  it('are compared from the second look on', () => {
    expect(compareAll(look(0, { setBack: 1e12 }))).toEqual([0])
  })

  it('differ also when one went ahead and back during slow looks', () => {
    const slow = { answering: 1500 }
    expect(
      compareAll(
        look(0),
        look(3000, { ...slow, setBack: -60_000 }),
        look(9000, slow),
        look(15_000, slow),
        look(20_000),
      ),
    ).toEqual([0, 0, 58_500, 0, 0])
  })

  it('differ when one is set back by two seconds, and are compared anew after it', () => {
    expect(compareAll(look(0), look(3000, { setBack: 1999 }))).toEqual([0, 0])
    expect(compareAll(look(0), look(3000, { setBack: 2000 }), look(6000, { setBack: 2000 }))).toEqual([0, 2000, 0])
    expect(
      compareAll(look(0), look(3000, { setBack: 5000 }), look(6000, { setBack: 5000 }), look(9000, { setBack: 9000 })),
    ).toEqual([0, 5000, 0, 4000])
  })

  it('differ also when it was set back during a slow question, as soon as that is certain', () => {
    expect(compareAll(look(0), look(9000, { asking: 4000, setBack: 5000 }), look(12_000, { setBack: 5000 }))).toEqual([
      0, 0, 5000,
    ])
  })

  it('may drift apart slowly', () => {
    expect(compareAll(...Array.from({ length: 10 }, (_, no) => look(no * 3000, { setBack: no * 500 })))).toEqual(
      Array.from({ length: 10 }, () => 0),
    )
  })
})
