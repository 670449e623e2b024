// A real PgBouncer before the database that the tests share.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'

const program = '/usr/sbin/pgbouncer'
export const hasPgBouncer = existsSync(program)

export type PgBouncer = AsyncDisposable & { urlFor(databaseUrl: string): string }

export async function startPgBouncer(
  target: { host: string; port: number },
  settings: Record<string, string>,
): Promise<PgBouncer> {
  const directory = mkdtempSync(join(tmpdir(), 'patchbay-pooler-'))
  const port = await freePort()
  writeFileSync(join(directory, 'users.txt'), '"postgres" ""\n')
  const own = {
    listen_addr: '127.0.0.1',
    listen_port: `${port}`,
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: join(directory, 'users.txt'),
    max_client_conn: '200',
    default_pool_size: '60',
    ...settings,
  }
  const lines = Object.entries(own).map(([name, value]) => `${name} = ${value}`)
  const databases = `[databases]\n* = host=${target.host} port=${target.port}\n`
  writeFileSync(join(directory, 'pgbouncer.ini'), `${databases}[pgbouncer]\n${lines.join('\n')}\n`)
  // It does not run as root.
  const before = process.getuid?.() === 0 ? ['unshare', '-U', '--map-user=65534', '--map-group=65534'] : []
  const [command = program, ...args] = [...before, program, join(directory, 'pgbouncer.ini')]
  const child: ChildProcess = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr?.on('data', (chunk) => {
    output += chunk
  })
  const ended = new Promise<void>((done) => child.on('close', () => done()))
  await eventually(() => canConnect(port)).catch((cause) => {
    child.kill('SIGKILL')
    throw new Error(`PgBouncer did not start:\n${output}`, { cause })
  })
  return {
    urlFor: (databaseUrl) => `postgres://postgres@127.0.0.1:${port}${new URL(databaseUrl).pathname}`,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1')
      .on('connect', () => done(true))
      .on('error', () => done(false))
    socket.on('connect', () => socket.destroy())
  })
}
