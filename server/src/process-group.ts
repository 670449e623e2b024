// `npm start` on the whole machine: one parent, and as many processes of the same role below it as PATCHBAY_PROCESSES says. The parent owns the
// embedded database and the listening port, hands connections out in turn, starts again whoever dies, and stops everybody in order.
//
//   starting ─(all ready)─► running ─(signal, or the database died)─► stopping ─► stopped
//   starting ─(one ends before it was ever ready)─► stopping ─► stopped, with an error
import cluster, { type Worker } from 'node:cluster'
import { AggregatorRegistry } from 'prom-client'
import type { Config } from './config.ts'
import { type EmbeddedServer, startEmbeddedServer } from './db/index.ts'

export type GroupOptions = {
  config: Config
  /** The program that each process runs. */
  program: { file: string; args: string[] }
  say(line: string): void
}

/** What parent and processes say to each other. */
type FromProcess = { kind: 'ready'; baseUrl: string | undefined } | { kind: 'metrics'; id: number }
type FromParent = { kind: 'metrics'; id: number; text: string }

/** What a process of ours needs in connections, with room for an administrator. */
const connectionsPerProcess = 26
const connectionsBeside = 20
/** A process that dies soon after it was started is started again later and later. */
const restartMs = { min: 500, max: 30_000, calmAfter: 60_000 }
/** After the time for which they still serve. */
const stopMsMax = 28_000

export class ProcessGroup implements AsyncDisposable {
  readonly #options: GroupOptions
  readonly #workers = new Set<Worker>()
  readonly #metrics = new AggregatorRegistry()
  readonly #ready = Promise.withResolvers<string | undefined>()
  readonly #failed = Promise.withResolvers<string>()
  #embedded: EmbeddedServer | undefined
  #readyCount = 0
  #isStopping = false

  constructor(options: GroupOptions) {
    this.#options = options
    this.#ready.promise.catch(() => {})
  }

  /** Resolves, with a sentence, when the group cannot go on by itself. */
  get failed(): Promise<string> {
    return this.#failed.promise
  }

  /** Resolves with the address, if there is one, when every process is ready. */
  async start(): Promise<string | undefined> {
    const { config, program, say } = this.#options
    if (config.databaseUrl === undefined) {
      const maxConnections = config.processes * connectionsPerProcess + connectionsBeside
      this.#embedded = await startEmbeddedServer(config.dataDir, say, { maxConnections })
      void this.#embedded.died.then((output) =>
        this.#failed.resolve(`The embedded database stopped unexpectedly:\n${output}`),
      )
    }
    if (this.#isStopping) return undefined
    cluster.setupPrimary({ exec: program.file, args: program.args })
    for (let slot = 0; slot < config.processes; slot++) this.#fork(restartMs.min)
    return this.#ready.promise
  }

  /** For an end that cannot wait. */
  abandon(): void {
    this.#isStopping = true
    for (const worker of this.#workers) worker.process.kill('SIGKILL')
    this.#embedded?.abandon()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true
    this.#ready.resolve(undefined)
    const ended = [...this.#workers].map((worker) => new Promise((done) => worker.once('exit', done)))
    for (const worker of this.#workers) worker.process.kill('SIGTERM')
    const { config, say } = this.#options
    const killer = setTimeout(
      () => {
        for (const worker of this.#workers) {
          say(
            `Process ${worker.process.pid} did not stop in time and is killed. The next start recovers unfinished work.`,
          )
          worker.process.kill('SIGKILL')
        }
      },
      config.drainSeconds * 1000 + stopMsMax,
    )
    await Promise.all(ended)
    clearTimeout(killer)
    await this.#embedded?.[Symbol.asyncDispose]()
  }

  #fork(nextDelayMs: number): void {
    if (this.#isStopping) return
    const { config, say } = this.#options
    const worker = cluster.fork(
      this.#embedded === undefined ? {} : { PATCHBAY_DATABASE_URL: addressOf(this.#embedded.connection) },
    )
    const startedAt = performance.now()
    let wasReady = false
    this.#workers.add(worker)
    worker.on('message', (message: FromProcess) => {
      if (message.kind === 'metrics') void this.#answerMetrics(worker, message.id)
      if (message.kind !== 'ready') return
      wasReady = true
      this.#readyCount++
      if (this.#readyCount === config.processes) this.#ready.resolve(message.baseUrl)
    })
    worker.on('error', () => {})
    worker.once('exit', (code, signal) => {
      this.#workers.delete(worker)
      if (this.#isStopping) return
      if (!wasReady && this.#readyCount < config.processes) {
        this.#failed.resolve('A process did not start.')
        return
      }
      const isCalm = performance.now() - startedAt > restartMs.calmAfter
      const delayMs = isCalm ? restartMs.min : nextDelayMs
      say(`Process ${worker.process.pid} ended (${signal ?? code}). Starting another in ${delayMs / 1000} s.`)
      setTimeout(() => this.#fork(Math.min(delayMs * 2, restartMs.max)), delayMs).unref()
    })
  }

  async #answerMetrics(worker: Worker, id: number): Promise<void> {
    const text = await this.#metrics.clusterMetrics().catch(() => '')
    if (worker.isConnected()) worker.send({ kind: 'metrics', id, text } satisfies FromParent)
  }
}

function addressOf({ host, port, database }: EmbeddedServer['connection']): string {
  return `postgresql://postgres@localhost:${port}/${database}?host=${encodeURIComponent(host)}`
}

/** One process of a group, as it sees itself. */
export const groupMember = cluster.isWorker
  ? {
      tellReady: (baseUrl: string | undefined) => void process.send?.({ kind: 'ready', baseUrl } satisfies FromProcess),
      /** Resolves when the parent is gone: without it there is no port, and maybe no database. */
      orphaned: new Promise<string>((done) =>
        process.once('disconnect', () => done('The parent process ended; stopping.')),
      ),
      readMetricsOfAll,
    }
  : undefined

const asked = new Map<number, (text: string) => void>()
let questions = 0

/** The sum over the group, whichever process is asked. */
function readMetricsOfAll(): Promise<string> {
  if (questions === 0) {
    process.on('message', (message: FromParent) => {
      if (message.kind !== 'metrics') return
      asked.get(message.id)?.(message.text)
      asked.delete(message.id)
    })
  }
  const id = questions++
  return new Promise((done) => {
    asked.set(id, done)
    process.send?.({ kind: 'metrics', id } satisfies FromProcess)
  })
}
