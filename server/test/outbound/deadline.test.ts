import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Deadline } from '../../src/outbound/call/deadline.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a deadline', () => {
  it('stands still during a pause and counts the time before it', async () => {
    const deadline = new Deadline(100, undefined)
    vi.advanceTimersByTime(60)
    const pause = deadline.pause(new Promise<void>((resolve) => setTimeout(resolve, 10_000)))
    await vi.advanceTimersByTimeAsync(10_000)
    await pause
    vi.advanceTimersByTime(39)
    expect(deadline.signal.aborted).toBe(false)
    vi.advanceTimersByTime(1)
    expect([deadline.signal.aborted, deadline.isExpired]).toEqual([true, true])
    deadline.close()
  })

  it('ends work that goes on, and tells the caller who gave up from the time that ran out', async () => {
    const cancel = new AbortController()
    const deadline = new Deadline(100, cancel.signal)
    const work = deadline.bound(new Promise(() => {}))
    cancel.abort()
    await expect(work).rejects.toThrow('aborted')
    expect([deadline.signal.aborted, deadline.isExpired]).toEqual([true, false])
    await expect(deadline.bound(new Promise(() => {}))).rejects.toThrow('aborted')
    deadline.close()
  })

  it('that is closed never fires', () => {
    const deadline = new Deadline(100, undefined)
    deadline.close()
    vi.advanceTimersByTime(1_000)
    expect(deadline.signal.aborted).toBe(false)
  })
})
