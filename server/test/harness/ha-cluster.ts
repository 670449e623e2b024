// The recipe of deploy/ha on loopback: etcd, two nodes of Patroni with PostgreSQL, HAProxy before them. Made of the very files that operators use.
import { type ChildProcess, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'

const recipe = fileURLToPath(new URL('../../../deploy/ha/', import.meta.url))
const host = '127.0.0.1'
const password = 'proof'

export const programs = [
  '/usr/bin/etcd',
  '/usr/bin/patroni',
  '/usr/sbin/haproxy',
  '/usr/lib/postgresql/15/bin/postgres',
]
export const isInstalled = programs.every((program) => existsSync(program))

type Member = { name: string; port: number; restPort: number; dataDir: string; patroni: ChildProcess | undefined }

export type HaCluster = AsyncDisposable & {
  postgres: { host: string; port: number; password: string; urlFor(database: string): string }
  /** Ends the leader and everything on its machine, without a word. */
  killLeader(): Promise<string>
  /** The name of the leader, other than `before`, once there is one. */
  awaitLeader(before: string): Promise<string>
  /** Starts what was killed, and waits until it is a synchronous standby. */
  restoreStandby(): Promise<void>
}

export async function startHaCluster(): Promise<HaCluster> {
  const directory = mkdtempSync(join(tmpdir(), 'patchbay-ha-'))
  const user = asPostgres()
  if (user) chownSync(directory, user.uid, user.gid)
  const [client, peer, listen] = [await freePort(), await freePort(), await freePort()]
  const run = (command: string, args: string[], env: Record<string, string> = {}) =>
    spawn(command, args, {
      stdio: 'ignore',
      cwd: directory,
      env: { PATH: process.env['PATH'], LC_ALL: 'C', ...env },
      ...user,
    })
  const etcd = run('/usr/bin/etcd', [
    `--data-dir=${join(directory, 'etcd')}`,
    `--listen-client-urls=http://${host}:${client}`,
    `--advertise-client-urls=http://${host}:${client}`,
    `--listen-peer-urls=http://${host}:${peer}`,
    `--initial-advertise-peer-urls=http://${host}:${peer}`,
    `--initial-cluster=default=http://${host}:${peer}`,
  ])
  const members: Member[] = []
  for (const name of ['node1', 'node2']) {
    const dataDir = join(directory, name)
    members.push({ name, port: await freePort(), restPort: await freePort(), dataDir, patroni: undefined })
  }
  const startMember = (member: Member) => {
    member.patroni = run('/usr/bin/patroni', [join(recipe, 'patroni.yml')], {
      PATRONI_NAME: member.name,
      PATRONI_ETCD3_HOSTS: `${host}:${client}`,
      PATRONI_RESTAPI_LISTEN: `${host}:${member.restPort}`,
      PATRONI_RESTAPI_CONNECT_ADDRESS: `${host}:${member.restPort}`,
      PATRONI_POSTGRESQL_LISTEN: `${host}:${member.port}`,
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${host}:${member.port}`,
      PATRONI_POSTGRESQL_DATA_DIR: member.dataDir,
      PATRONI_POSTGRESQL_PGPASS: join(directory, `${member.name}.pgpass`),
      PATRONI_SUPERUSER_USERNAME: 'postgres',
      PATRONI_SUPERUSER_PASSWORD: password,
      PATRONI_REPLICATION_USERNAME: 'replicator',
      PATRONI_REPLICATION_PASSWORD: password,
    })
  }
  const isLeader = async ({ restPort }: Member) =>
    (await fetch(`http://${host}:${restPort}/primary`).catch(() => undefined))?.status === 200
  const isSynchronous = async ({ restPort }: Member) =>
    (await fetch(`http://${host}:${restPort}/synchronous`).catch(() => undefined))?.status === 200
  const some = async (is: (member: Member) => Promise<boolean>) => {
    for (const member of members) if (await is(member)) return member
    return undefined
  }
  const kill = async (member: Member) => {
    const postmaster = Number(readFileSync(join(member.dataDir, 'postmaster.pid'), 'utf8').split('\n')[0])
    member.patroni?.kill('SIGKILL')
    process.kill(postmaster, 'SIGKILL')
    member.patroni = undefined
  }
  const first = members[0] as Member
  startMember(first)
  await eventually(() => isLeader(first))
  startMember(members[1] as Member)
  await eventually(() => some(isSynchronous))
  const haproxy = run('/usr/sbin/haproxy', ['-db', '-f', join(recipe, 'haproxy.cfg')], {
    HA_LISTEN: `${host}:${listen}`,
    ...Object.fromEntries(
      members.flatMap(({ port, restPort }, index) => [
        [`HA_NODE_${index + 1}`, `${host}:${port}`],
        [`HA_CHECK_${index + 1}`, `${restPort}`],
      ]),
    ),
  })
  await eventually(() => leadsToLeader(listen))
  return {
    postgres: {
      host,
      port: listen,
      password,
      urlFor: (database) => `postgres://postgres:${password}@${host}:${listen}/${database}`,
    },
    killLeader: async () => {
      const leader = await eventually(() => some(isLeader))
      await kill(leader)
      return leader.name
    },
    awaitLeader: async (before) =>
      (await eventually(() => some(async (member) => member.name !== before && (await isLeader(member))))).name,
    restoreStandby: async () => {
      for (const member of members) if (!member.patroni) startMember(member)
      await eventually(() => some(isSynchronous))
    },
    async [Symbol.asyncDispose]() {
      haproxy.kill('SIGKILL')
      for (const member of members) if (member.patroni) await kill(member).catch(() => {})
      etcd.kill('SIGKILL')
      rmSync(directory, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

/** Until its first checks HAProxy takes every node for the leader, and hands them out by turns. */
async function leadsToLeader(port: number): Promise<boolean> {
  for (let turn = 0; turn < 4; turn++) {
    const client = new pg.Client({ host, port, user: 'postgres', password, database: 'postgres' })
    client.on('error', () => {})
    await client.connect()
    const { rows } = await client.query<{ stands_by: boolean }>('select pg_is_in_recovery() as stands_by')
    await client.end()
    if (rows[0]?.stands_by) return false
  }
  return true
}

/** Neither PostgreSQL nor Patroni runs as root; Debian's packages bring a user for both. */
function asPostgres(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith('postgres:'))
  const [, , uid, gid] = line?.split(':') ?? []
  return { uid: Number(uid), gid: Number(gid) }
}
