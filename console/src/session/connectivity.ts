// Whether the service answers. While it does not, it is asked every few seconds; the shell shows it, and pages load again when it is back.
import { createStore } from '../ui/store.ts'

export const reachable = createStore(true)
let timer: ReturnType<typeof setInterval> | undefined

export const connectivity = {
  reached(): void {
    if (!reachable.get()) reachable.set(true)
    clearInterval(timer)
    timer = undefined
  },
  lost(): void {
    if (reachable.get()) reachable.set(false)
    timer ??= setInterval(async () => {
      const isBack = await fetch('/readyz').then(
        (answer) => answer.ok,
        () => false,
      )
      if (isBack) connectivity.reached()
    }, 2000)
  },
}
