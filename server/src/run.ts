// argv, environment, signals: nothing else reads them.
import { startApp } from './app.ts'
import { buildConsole } from './build-console.ts'
import { ConfigError, type Role, readConfig } from './config.ts'
import { explainFailedStart } from './failed-start.ts'
import { createLog } from './log.ts'

// Of the thirty seconds that a stop may take; the rest is for the embedded database.
const shutdownMsMax = 27_000
const signals = ['SIGINT', 'SIGTERM'] as const
// npm and a terminal both pass Ctrl-C on, so one wish to stop may arrive twice.
const sameWishMs = 2000
const say = (line: string) => console.log(line)

async function main(): Promise<number> {
  const startedAt = performance.now()
  const config = readConfig(process.env, readRole(process.argv[2]))
  const log = createLog(config.logLevel)
  process.on('unhandledRejection', (reason) => {
    log.fatal({ err: reason }, 'A promise failed that nobody waited for.')
    throw reason
  })

  const stopAsked = waitForSignal()
  const starting = startApp(config, log, say)
  const started = await Promise.race([starting, stopAsked])
  const app = started === 'asked' ? await starting : started
  if (started !== 'asked') {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    say(
      app.baseUrl === undefined
        ? `Patchbay worker is ready (${seconds} s).`
        : `Patchbay is ready at ${app.baseUrl} (${seconds} s).`,
    )
  }

  if (app.baseUrl !== undefined) buildConsole(say)

  const reason = await Promise.race([stopAsked, app.failed])
  app.drain()
  if (reason !== 'asked') say(reason)
  say('Stopping.')
  const leaveNow = (code: number, why: string) => {
    say(why)
    app.abandon()
    process.exit(code)
  }
  setTimeout(
    () => leaveNow(1, 'Stopping took too long; what is left is left to the next start.'),
    shutdownMsMax,
  ).unref()
  onSecondSignal(() => leaveNow(130, 'Stopped at once.'))
  await app[Symbol.asyncDispose]()
  say('Stopped.')
  return reason === 'asked' ? 0 : 1
}

function waitForSignal(): Promise<'asked'> {
  return new Promise((done) => {
    for (const signal of signals) process.on(signal, () => done('asked'))
  })
}

/** A second signal, some time after the first, means: now. */
function onSecondSignal(leave: () => void): void {
  const armedAt = performance.now() + sameWishMs
  for (const signal of signals) {
    process.on(signal, () => {
      if (performance.now() > armedAt) leave()
    })
  }
}

function readRole(word: string | undefined): Role {
  if (word === undefined) return 'all'
  if (word === 'api' || word === 'worker') return word
  throw new ConfigError(`Unknown role "${word}": give api or worker, or nothing for both.`)
}

main().then(
  (code) => process.exit(code),
  (error: Error) => {
    console.error(explainFailedStart(error) ?? error)
    process.exit(1)
  },
)
