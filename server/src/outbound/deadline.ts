/** The time a call may work. It stands still while the call waits for the target's sake (see `pause`). */
export type Deadline = {
  /** Aborted when the time is used up or the caller gave up; `isExpired` tells the two apart. */
  readonly signal: AbortSignal
  readonly isExpired: boolean
  /** Rejects as soon as the signal is aborted, however long `work` goes on. */
  bound<T>(work: Promise<T>): Promise<T>
  /** Lets the clock stand still during `work`. */
  pause<T>(work: Promise<T>): Promise<T>
  /** Starts the clock anew with another limit, for the next part of the same call. */
  restart(limitMs: number): void
  stop(): void
  /** Stops for good and lets go of the caller's signal. */
  close(): void
}

export function startDeadline(limitMs: number, cancel: AbortSignal | undefined): Deadline {
  const controller = new AbortController()
  let isExpired = false
  let leftMs = limitMs
  let startedMs = 0
  let timer: NodeJS.Timeout | undefined

  const run = () => {
    startedMs = performance.now()
    timer = setTimeout(expire, Math.max(0, leftMs))
  }
  const expire = () => {
    isExpired = true
    controller.abort()
  }
  const onCancel = () => controller.abort()
  if (cancel?.aborted) controller.abort()
  else cancel?.addEventListener('abort', onCancel, { once: true })
  run()

  return {
    signal: controller.signal,
    get isExpired() {
      return isExpired
    },
    async bound(work) {
      const aborted = Promise.withResolvers<never>()
      const onAbort = () => aborted.reject(new Error('The call was aborted.'))
      if (controller.signal.aborted) onAbort()
      else controller.signal.addEventListener('abort', onAbort, { once: true })
      // Whichever of the two loses the race may still reject, with nobody left to hear it.
      work.catch(() => {})
      aborted.promise.catch(() => {})
      try {
        return await Promise.race([work, aborted.promise])
      } finally {
        controller.signal.removeEventListener('abort', onAbort)
      }
    },
    async pause(work) {
      clearTimeout(timer)
      leftMs -= performance.now() - startedMs
      try {
        return await work
      } finally {
        run()
      }
    },
    restart(newLimitMs) {
      clearTimeout(timer)
      leftMs = newLimitMs
      run()
    },
    stop() {
      clearTimeout(timer)
    },
    close() {
      clearTimeout(timer)
      cancel?.removeEventListener('abort', onCancel)
    },
  }
}
