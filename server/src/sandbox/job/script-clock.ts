/**
 * Measures a script's run time without its pauses and calls `onExpired` when one of the two is used up. A pause counts only
 * while the script itself has nothing to do: a script that sleeps on one promise and computes on is running.
 */
export type ScriptClock = { setPaused(isPaused: boolean): void; pauseMs(): number; stop(): void }

export type Expiry = 'time' | 'pause'

export function startScriptClock(
  limits: { timeMs: number; pauseMsMax: number },
  onExpired: (expiry: Expiry) => void,
): ScriptClock {
  const used = { running: 0, paused: 0 }
  let state: 'running' | 'paused' = 'running'
  let since = performance.now()
  let timer: NodeJS.Timeout | undefined

  const leftMs = (): number => (state === 'running' ? limits.timeMs - used.running : limits.pauseMsMax - used.paused)
  const arm = (): void => {
    timer = setTimeout(
      () => {
        count()
        if (leftMs() > 0) arm()
        else onExpired(state === 'running' ? 'time' : 'pause')
      },
      // Timers hold 31 bits; a longer wait is armed again.
      Math.min(Math.max(0, Math.ceil(leftMs())), 2 ** 31 - 1),
    )
  }
  const count = (): void => {
    const now = performance.now()
    used[state] += now - since
    since = now
  }
  arm()
  return {
    setPaused: (isPaused) => {
      const next = isPaused ? 'paused' : 'running'
      if (next === state) return
      count()
      state = next
      clearTimeout(timer)
      arm()
    },
    pauseMs: () => Math.round(used.paused + (state === 'paused' ? performance.now() - since : 0)),
    stop: () => clearTimeout(timer),
  }
}
