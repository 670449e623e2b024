// argv, environment, signals: nothing else reads them.
import { setTimeout as wait } from 'node:timers/promises'
import { inspect } from 'node:util'
import type { Logger } from 'pino'
import { type App, startApp } from './app.ts'
import { buildConsole } from './build-console.ts'
import { type Config, ConfigError, type Role, readConfig } from './config.ts'
import { explainFailedStart } from './failed-start.ts'
import { belongToCell } from './lib/cell.ts'
import { type Dropped, LineOutput } from './line-output.ts'
import { openLog } from './log.ts'
import { groupMember, ProcessGroup } from './process-group.ts'

// Of the thirty seconds that a stop may take; the rest is for the embedded database.
const shutdownMsMax = 27_000
/** A start that cannot be called off, because it waits for something that does not answer, is left. */
const callOffMsMax = 10_000
const signals = ['SIGINT', 'SIGTERM'] as const
// npm and a terminal both pass Ctrl-C on, so one wish to stop may arrive twice.
const sameWishMs = 2000
const toNotice = ({ lines, reason }: Dropped) => `Lines dropped: ${lines}. ${reason}\n`
const standardOutput = new LineOutput({ fd: 1, toNotice })
/** Written to the end before the process ends. */
const outputs = [standardOutput]
const say = (line: string) => standardOutput.write(`${line}\n`)
// Node itself writes here, its warnings for example. Unheard, an error of a reader that left or of a full disk would end the process on the spot.
for (const output of [process.stdout, process.stderr]) output.on('error', () => {})

async function main(): Promise<number> {
  const config = readConfig(process.env, readRole(process.argv[2]))
  return config.processes > 1 && !groupMember ? runGroup(config) : runService(config)
}

/** Several processes on one machine: this one only looks after them. */
async function runGroup(config: Config): Promise<number> {
  const startedAt = performance.now()
  const program = { file: process.argv[1] as string, args: process.argv.slice(2) }
  const stopAsked = waitForSignal()
  const group = new ProcessGroup({ config, program, say })
  const started = await Promise.race([group.start().then((baseUrl) => ({ baseUrl })), stopAsked, group.failed])
  if (typeof started === 'object') {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    const where =
      started.baseUrl === undefined ? 'Patchbay workers are ready' : `Patchbay is ready at ${started.baseUrl}`
    say(`${where} (${config.processes} processes, ${seconds} s).`)
    if (started.baseUrl !== undefined) buildConsole(say)
  }
  const reason = typeof started === 'string' ? started : await Promise.race([stopAsked, group.failed])
  if (reason !== 'asked') say(reason)
  say('Stopping.')
  onSecondSignal(() => {
    say('Stopped at once.')
    group.abandon()
    process.exit(130)
  })
  await group[Symbol.asyncDispose]()
  say('Stopped.')
  return reason === 'asked' ? 0 : 1
}

async function runService(config: Config): Promise<number> {
  belongToCell(config.cell)
  const startedAt = performance.now()
  const { log, output } = openLog(config.logLevel, config.logFormat)
  outputs.push(output)
  process.on('unhandledRejection', (reason) => {
    log.fatal({ part: 'process', err: reason }, 'Unhandled promise rejection.')
    throw reason
  })

  const stopAsked = waitForSignal()
  const app = await startUnlessStopped({ config, log, output }, stopAsked)
  if (!app) return 0
  if (groupMember) groupMember.tellReady(app.baseUrl)
  else {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    say(
      app.baseUrl === undefined
        ? `Patchbay worker is ready (${seconds} s).`
        : `Patchbay is ready at ${app.baseUrl} (${seconds} s).`,
    )
  }

  if (app.baseUrl !== undefined && !groupMember) buildConsole(say)

  const reason = await Promise.race([stopAsked, app.failed, ...(groupMember ? [groupMember.orphaned] : [])])
  app.drain()
  if (reason !== 'asked') say(reason)
  // One of several leaves the words to its parent.
  if (!groupMember) say('Stopping.')
  const leaveNow = (code: number, why: string) => {
    say(why)
    app.abandon()
    process.exit(code)
  }
  onSecondSignal(() => leaveNow(130, 'Stopped at once.'))
  // Not ready, and still answering: whoever shares out the requests needs a moment to look elsewhere.
  if (reason === 'asked') await wait(config.drainSeconds * 1000)
  setTimeout(
    () => leaveNow(1, 'Shutdown took too long. The next start recovers unfinished work.'),
    shutdownMsMax,
  ).unref()
  await app[Symbol.asyncDispose]()
  if (!groupMember) say('Stopped.')
  return reason === 'asked' ? 0 : 1
}

/** Undefined when a signal came first. The start is called off then, and what was started is stopped in order. */
async function startUnlessStopped(
  { config, log, output }: { config: Config; log: Logger; output: LineOutput },
  stopAsked: Promise<'asked'>,
): Promise<App | undefined> {
  const calledOff = new AbortController()
  const starting = startApp(config, log, say, {
    readMetrics: groupMember?.readMetricsOfAll,
    logLinesDropped: () => output.droppedLines + standardOutput.droppedLines,
    signal: calledOff.signal,
  })
  const started = await Promise.race([starting, stopAsked])
  if (started !== 'asked') return started
  if (!groupMember) say('Shutting down before startup is complete.')
  calledOff.abort()
  const stopping = starting.then(
    (app) => app[Symbol.asyncDispose](),
    () => {},
  )
  await Promise.race([stopping, wait(callOffMsMax, undefined, { ref: false })])
  if (!groupMember) say('Stopped.')
  return undefined
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

const code = await main().catch((error: Error) => {
  const failures = new LineOutput({ fd: 2, toNotice })
  outputs.push(failures)
  failures.write(`${explainFailedStart(error) ?? inspect(error)}\n`)
  return 1
})
await Promise.all(outputs.map((output) => output.close()))
process.exit(code)
