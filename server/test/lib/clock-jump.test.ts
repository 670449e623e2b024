import { describe, expect, it } from 'vitest'
import { judgeJump } from '../../src/clock/clock-jump.ts'

const hour = 3_600_000
/** Our clock shows `at`, the database's an hour more. */
const look = (at: number, { jumped = 0, asking = 0, answering = 0 } = {}) => ({
  askedMs: at - asking,
  databaseMs: at + hour + jumped,
  answeredMs: at + answering,
})

describe('a clock of the database', () => {
  it('that goes on as ours does has not jumped, however slow question and answer are', () => {
    const before = look(0, { answering: 9000 })
    expect(judgeJump(look(3000, { asking: 2000, answering: 9000 }), { seenMs: before.databaseMs, before })).toBe(0)
    expect(judgeJump(look(90_000), { seenMs: look(89_000).databaseMs, before })).toBe(0)
  })

  it('that shows less than anybody has seen was set back, also before our own first look', () => {
    const seenMs = look(0).databaseMs
    expect(judgeJump(look(1000, { jumped: -hour }), { seenMs, before: look(0) })).toBe(1000 - hour)
    expect(judgeJump(look(1000, { jumped: -hour }), { seenMs, before: undefined })).toBe(1000 - hour)
  })

  it('that shows more than can have passed has jumped ahead', () => {
    const seenMs = look(0).databaseMs
    expect(judgeJump(look(3000, { jumped: hour }), { seenMs, before: look(0) })).toBe(hour)
  })

  it('is judged once: the others find that somebody has seen the new time', () => {
    const seenMs = look(2900, { jumped: hour }).databaseMs
    expect(judgeJump(look(3000, { jumped: hour }), { seenMs, before: look(0) })).toBe(0)
    expect(
      judgeJump(look(3000, { jumped: -hour }), { seenMs: look(2900, { jumped: -hour }).databaseMs, before: look(0) }),
    ).toBe(0)
  })

  it('has not jumped because nobody looked for a while, or by a step as clocks are corrected', () => {
    expect(judgeJump(look(10 * hour), { seenMs: look(0).databaseMs, before: undefined })).toBe(0)
    expect(judgeJump(look(3000, { jumped: 1500 }), { seenMs: look(0).databaseMs, before: look(0) })).toBe(0)
    expect(judgeJump(look(3000, { jumped: -4500 }), { seenMs: look(0).databaseMs, before: look(0) })).toBe(0)
  })
})
