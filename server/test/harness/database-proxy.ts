// Stands between the service and PostgreSQL: counts round trips, and can take the database away.
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

export type DatabaseProxy = AsyncDisposable & {
  /** The connection string of the database, through here. */
  urlFor(databaseUrl: string): string
  /** How often a client spoke after the server had answered, since the last call: one for each round trip. */
  takeRoundTrips(): number
  /** Cuts every connection and refuses new ones. */
  cut(): void
  /** How many connections were refused since the start. */
  refusals(): number
  restore(): void
  /**
   * The connections there are stay open, and nothing comes through any more: as behind a firewall that forgot them. `alsoNew`: those that are
   * opened from now on, too, until `thaw`, which does not bring back those that were frozen.
   */
  freeze(alsoNew?: boolean): void
  thaw(): void
  /** What the database is being asked at this moment is never answered; those connections only tell when they end. */
  loseAnswers(): void
  /** What the database says arrives so much later from now on. */
  delay(ms: number): void
}

export async function startDatabaseProxy(target: { host: string; port: number }): Promise<DatabaseProxy> {
  const directory = mkdtempSync(join(tmpdir(), 'pbproxy-'))
  const sockets = new Set<Socket>()
  let roundTrips = 0
  let isCut = false
  let refusals = 0
  let isFrozen = false
  let live = { isFrozen: false }
  const turns = new Set<{ isServers: boolean; isLost: boolean }>()
  let delayMs = 0
  const server = createServer((client) => {
    if (isCut) {
      refusals++
      client.destroy()
      return
    }
    const upstream = connect(join(target.host, `.s.PGSQL.${target.port}`))
    const turn = { isServers: false, isLost: false }
    turns.add(turn)
    client.on('close', () => turns.delete(turn))
    let lateChunks = 0
    let sent: Promise<void> = Promise.resolve()
    const mine = isFrozen ? { isFrozen: true } : live
    client.on('data', (chunk) => {
      if (mine.isFrozen) return
      if (!turn.isServers) roundTrips++
      turn.isServers = true
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      if (mine.isFrozen || turn.isLost) return
      turn.isServers = false
      if (delayMs === 0 && lateChunks === 0) {
        client.write(chunk)
        return
      }
      // Bytes stay in order, also when they are no longer to be late.
      lateChunks++
      const due = wait(delayMs)
      sent = Promise.all([sent, due]).then(() => {
        lateChunks--
        client.write(chunk)
      })
    })
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one)
      one
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(one)
          // Nobody is told of the end of a connection that was forgotten.
          if (!mine.isFrozen) other.destroy()
        })
    }
  })
  await new Promise<void>((done) => server.listen(join(directory, `.s.PGSQL.${target.port}`), done))
  return {
    urlFor: (databaseUrl) => {
      const url = new URL(databaseUrl)
      url.searchParams.set('host', directory)
      return url.href
    },
    takeRoundTrips: () => {
      const taken = roundTrips
      roundTrips = 0
      return taken
    },
    cut: () => {
      isCut = true
      for (const socket of sockets) socket.destroy()
    },
    refusals: () => refusals,
    restore: () => {
      isCut = false
    },
    freeze: (alsoNew = false) => {
      live.isFrozen = true
      live = { isFrozen: false }
      isFrozen = alsoNew
    },
    thaw: () => {
      isFrozen = false
    },
    loseAnswers: () => {
      for (const turn of turns) if (turn.isServers) turn.isLost = true
    },
    delay: (ms) => {
      delayMs = ms
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
