// LISTEN needs a session of its own, which must come back by itself: connecting -> listening -> (lost) -> connecting … until closed.
import pg from 'pg'
import { type ConnectionSettings, clientSettings } from './connection.ts'

const retryMs = 500

export async function startListener(
  settings: ConnectionSettings,
  channel: string,
  onMessage: (payload: string) => void,
  onConnect: () => void,
): Promise<{ close(): Promise<void> }> {
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false

  const connect = async (): Promise<void> => {
    const next = new pg.Client({ ...clientSettings(settings, 'patchbay_system'), keepAlive: true })
    const lost = () => {
      if (closed || client !== next) return
      client = undefined
      timer = setTimeout(() => void connect().catch(again), retryMs)
    }
    next.on('error', lost).on('end', lost)
    next.on('notification', (message) => onMessage(message.payload ?? ''))
    await next.connect()
    await next.query(`listen ${pg.escapeIdentifier(channel)}`)
    client = next
    onConnect()
    if (closed) await next.end()
  }
  const again = () => {
    if (!closed) timer = setTimeout(() => void connect().catch(again), retryMs)
  }

  await connect()
  return {
    close: async () => {
      closed = true
      clearTimeout(timer)
      await client?.end()
    },
  }
}
