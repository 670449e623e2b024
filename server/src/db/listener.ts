// LISTEN needs a session of its own, which must come back by itself: connecting -> listening -> (lost) -> connecting … until closed.
import pg from 'pg'
import type { Hosts } from './connect/hosts.ts'
import { Session } from './connect/session.ts'
import type { SilenceWatch } from './connect/silence-watch.ts'

const retryMs = 500
/** A session that only listens would not notice that it is cut off. */
const aliveMs = 3000

export type ListenerDeps = {
  hosts: Hosts
  watch: SilenceWatch
  onMessage(payload: string): void
  /** After every (re)connection: what was said while it was away was not heard. */
  onConnect(): void
}

export async function startListener(
  { hosts, watch, onMessage, onConnect }: ListenerDeps,
  channel: string,
): Promise<{ close(): Promise<void> }> {
  let current: Session | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const connect = async (): Promise<void> => {
    const next = new Session({ hosts, watch, role: 'patchbay_system' })
    const lost = () => {
      if (isClosed || current !== next) return
      current = undefined
      again()
    }
    next.on('error', lost).on('end', lost)
    next.on('notification', (message) => onMessage(message.payload ?? ''))
    try {
      await next.connect()
      await next.query(`listen ${pg.escapeIdentifier(channel)}`)
    } catch (error) {
      next.destroy()
      throw error
    }
    if (isClosed) return void (await next.end())
    current = next
    onConnect()
  }
  const again = () => {
    if (!isClosed) timer = setTimeout(() => void connect().catch(again), retryMs)
  }
  const alive = setInterval(() => {
    if (current && !current.isBusy) current.query('select 1').catch(() => {})
  }, aliveMs)
  alive.unref()

  try {
    await hosts.tryEach(connect)
  } catch (error) {
    clearInterval(alive)
    throw error
  }
  return {
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      clearInterval(alive)
      await current?.end()
    },
  }
}
