// The first process of a pool finds out what this machine gives: the strongest isolation that can be started, and how much memory the isolates of
// a process reserve. Both differ by platform, processor and version, so neither is assumed.
import { rm } from 'node:fs/promises'
import { SCRIPT_DATA_BYTES } from '../limits.ts'
import type { GuestExit } from '../process/guest-jobs.ts'
import { GuestProcess } from '../process/guest-process.ts'
import type { GuestEnd } from '../protocol.ts'
import { type Launch, listLaunches } from '../walls/launch.ts'
import { readMeasured, writeMeasured } from '../walls/measured-isolates.ts'
import { makeWorkDirectory } from '../walls/work-directory.ts'
import type { SandboxOptions } from './pool-options.ts'

export type FirstProcess = {
  launch: Launch
  directory: string
  first: GuestProcess
  /** Why the data of script processes is not limited, where it could have been. */
  dataLimitProblem?: string | undefined
}

type Started = Omit<FirstProcess, 'directory'>
type Held = GuestEnd & { kind: 'held' }

/** On a machine that is overloaded everything may take very long. */
const HOLD_MS_MAX = 20_000
const MIB = 1024 * 1024

export type FirstProcessOptions = Pick<SandboxOptions, 'hiddenPaths' | 'measuredFile' | 'dataBytes'>

export async function startFirstProcess(options: FirstProcessOptions): Promise<FirstProcess> {
  const directory = await makeWorkDirectory()
  let lastWords = ''
  for (const launch of listLaunches(options.hiddenPaths ?? [])) {
    const started =
      (await startAsBefore(launch, directory, options)) ?? (await startMeasured(launch, directory, options))
    if (started && 'first' in started) return { ...started, directory }
    if (started) lastWords = ` A process was started, but cannot hold the isolates it needs (${tell(started.exit)}).`
  }
  await rm(directory, { recursive: true, force: true })
  throw new Error(`No script process could be started.${lastWords}`)
}

/** With what an earlier start has measured. Undefined when nothing was, or it does not hold any more. */
async function startAsBefore(
  launch: Launch,
  directory: string,
  { measuredFile, dataBytes }: FirstProcessOptions,
): Promise<Started | undefined> {
  const measured = dataBytes === undefined ? await readMeasured(measuredFile) : undefined
  if (measured === undefined) return undefined
  const started = await startLimited({ ...launch, dataBytes: measured + SCRIPT_DATA_BYTES }, directory)
  return 'first' in started ? started : undefined
}

/** Undefined when no process can be started this way; its exit when it cannot hold its isolates, although nothing limits it. */
async function startMeasured(
  launch: Launch,
  directory: string,
  { measuredFile, dataBytes: given }: FirstProcessOptions,
): Promise<Started | { exit: GuestExit } | undefined> {
  const first = await GuestProcess.start(launch, directory)
  if (!first) return undefined
  const held = await holdIsolates(first)
  if (!('kind' in held)) return { exit: held }
  // The platform does not tell, and then its limit would not be kept either.
  if (held.dataBytes === 0) return { launch, first }
  const dataBytes = given ?? held.dataBytes + SCRIPT_DATA_BYTES
  const limited = await startLimited({ ...launch, dataBytes }, directory)
  if (!('first' in limited)) return { launch, first, dataLimitProblem: explain(dataBytes, limited.exit) }
  await Promise.all([first.end(), writeMeasured(measuredFile, held.dataBytes)])
  return limited
}

/** A process under its real limits, which has proved that its isolates fit. */
async function startLimited(launch: Launch, directory: string): Promise<Started | { exit: GuestExit | undefined }> {
  const first = await GuestProcess.start(launch, directory)
  const held = first && (await holdIsolates(first))
  return first && held && 'kind' in held ? { launch, first } : { exit: held as GuestExit | undefined }
}

/** Proves that all isolates which the process may ever have at once fit under its limits. */
async function holdIsolates(guest: GuestProcess): Promise<Held | GuestExit> {
  const job = guest.nextJob()
  const { promise, resolve } = Promise.withResolvers<Held | GuestExit>()
  const timer = setTimeout(() => guest.kill(), HOLD_MS_MAX)
  guest.listen(job, {
    message: (message) => {
      if (message.type !== 'done' || message.end.kind !== 'held')
        throw new TypeError('A script process answered something else than it was asked.')
      resolve(message.end)
    },
    exit: resolve,
  })
  guest.send({ type: 'hold', job })
  const held = await promise
  clearTimeout(timer)
  return held
}

function explain(dataBytes: number, exit: GuestExit | undefined): string {
  const limit = `${Math.round(dataBytes / MIB)} MiB`
  return `The memory of script processes is not limited by the system: with a limit of ${limit} they cannot hold the isolates they need (${tell(exit)}).`
}

/** V8's first words, or how the process ended. */
function tell(exit: GuestExit | undefined): string {
  if (!exit) return 'the process did not start'
  const [words] = exit.stderr.split('\n').filter((line) => /fatal|error/i.test(line))
  return words?.replace(/^[\s#]+/, '').slice(0, 300) ?? exit.signal ?? `code ${exit.code}`
}
