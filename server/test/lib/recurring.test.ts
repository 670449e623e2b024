import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Recurring } from '../../src/lib/recurring.ts'

describe('recurring work', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('pauses between its end and its next beginning, and is never done twice at once', async () => {
    let begun = 0
    let finish = () => {}
    const work = new Recurring(
      () => {
        begun++
        return new Promise<void>((done) => {
          finish = done
        })
      },
      { pauseMs: 100, onFault: () => {} },
    )
    work.start()
    await vi.advanceTimersByTimeAsync(99)
    expect(begun).toBe(0)
    await vi.advanceTimersByTimeAsync(1)
    expect(begun).toBe(1)
    await vi.advanceTimersByTimeAsync(1000)
    expect(begun).toBe(1)
    finish()
    await vi.advanceTimersByTimeAsync(100)
    expect(begun).toBe(2)
    finish()
    await work[Symbol.asyncDispose]()
  })

  it('goes on after a failure, which is reported', async () => {
    const faults: unknown[] = []
    let begun = 0
    const work = new Recurring(
      async () => {
        begun++
        throw new Error('no')
      },
      { pauseMs: 100, onFault: (error) => void faults.push(error) },
    )
    work.startNow()
    await vi.advanceTimersByTimeAsync(250)
    expect([begun, faults.length]).toEqual([3, 3])
    await work[Symbol.asyncDispose]()
    await vi.advanceTimersByTimeAsync(1000)
    expect(begun).toBe(3)
  })

  it('ends when what is under way has ended, and says so to it', async () => {
    let finish = () => {}
    const work: Recurring = new Recurring(
      () =>
        new Promise<void>((done) => {
          finish = done
        }),
      { pauseMs: 100, onFault: () => {} },
    )
    work.startNow()
    expect(work.isStopping).toBe(false)
    let hasEnded = false
    const ended = work[Symbol.asyncDispose]().then(() => {
      hasEnded = true
    })
    expect(work.isStopping).toBe(true)
    await vi.advanceTimersByTimeAsync(1000)
    expect(hasEnded).toBe(false)
    finish()
    await ended
    expect(hasEnded).toBe(true)
  })
})
