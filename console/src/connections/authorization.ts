// Access that a person gives at the provider, in a window of its own. The window ends on the service's result page; here one waits until
// the connection says that it is authenticated.
import { listSizeMax } from '@patchbay/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call, forget } from '../api.ts'
import type { Connection } from './connection-state.tsx'

const askEveryMs = 1500

/** True when the window opened; browsers may refuse it, then the address is shown as a link. */
export function openAuthorization(url: string): boolean {
  return window.open(url, 'patchbay-authorization', 'popup,width=620,height=760') !== null
}

/** Watches for a connection of this application that became usable since the window was opened. */
export function useAuthorizationWatch(
  isWaiting: boolean,
  isDone: (connections: readonly Connection[]) => Connection | undefined,
  onDone: (connection: Connection) => void,
): void {
  const queries = useQueryClient()
  const [tick, setTick] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: asks once a tick; the functions are new with every render.
  useEffect(() => {
    if (!isWaiting) return
    let isOver = false
    const timer = setTimeout(async () => {
      const found = await call('RegApplicationsSearch', { body: { size: listSizeMax } }).catch(() => undefined)
      if (isOver) return
      const done = found && isDone(found.regApplications)
      if (done) {
        await forget(queries, ['RegApplicationsSearch', 'RegApplications', 'Overview'])
        onDone(done)
      } else {
        setTick(tick + 1)
      }
    }, askEveryMs)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [isWaiting, tick])
}
