// argv, environment, signals: nothing else reads them.
import { startApp } from './app.ts'
import { ConfigError, type Role, readConfig } from './config.ts'
import { createLog } from './log.ts'

const shutdownMsMax = 30_000
const say = (line: string) => console.log(line)

async function main(): Promise<number> {
  const startedAt = performance.now()
  const config = readConfig(process.env, readRole(process.argv[2]))
  const log = createLog(config.logLevel)
  process.on('unhandledRejection', (reason) => {
    log.fatal({ err: reason }, 'A promise failed that nobody waited for.')
    throw reason
  })

  const stopAsked = new Promise<'asked'>((done) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        done('asked')
        // A second signal means: now.
        for (const again of ['SIGINT', 'SIGTERM'] as const) process.on(again, () => process.exit(130))
      })
    }
  })
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

  const reason = await Promise.race([stopAsked, app.failed])
  app.drain()
  if (reason !== 'asked') say(reason)
  say('Stopping.')
  setTimeout(() => {
    log.error('Stopping took too long; leaving what is left to the next start.')
    process.exit(1)
  }, shutdownMsMax).unref()
  await app[Symbol.asyncDispose]()
  say('Stopped.')
  return reason === 'asked' ? 0 : 1
}

function readRole(word: string | undefined): Role {
  if (word === undefined) return 'all'
  if (word === 'api' || word === 'worker') return word
  throw new ConfigError(`Unknown role "${word}": give api or worker, or nothing for both.`)
}

main().then(
  (code) => process.exit(code),
  (error: Error) => {
    // A person reads this: known faults are one sentence, unknown ones show where they came from.
    const isKnown = ['ConfigError', 'DataDirInUseError', 'MasterKeyError', 'MigrationError'].includes(error.name)
    console.error(isKnown ? `Patchbay cannot start. ${error.message}` : error)
    process.exit(1)
  },
)
