// Attacks as data: each begins, keeps on until it is told to stop, and is the work of a stranger without keys or of a neighbour with keys.
import { gzipSync } from 'node:zlib'
import type { Assault, Battlefield } from './assault.ts'
import { sleepingScripts } from './sleeping-scripts.ts'

/** What an attack is after. Those after the same thing attack together. */
export type Aim =
  | 'places of strangers'
  | 'memory and threads'
  | 'places with keys'
  | 'results and logs'
  | 'script processes'

export type Attack = {
  name: string
  by: 'stranger' | 'neighbour'
  aim: Aim
  /** What it began goes on for a quarter of an hour. */
  lingers?: boolean
  /** At least one of its attempts must end so: otherwise it did not reach what it aims at. */
  reaches: readonly string[]
  begin(assault: Assault, field: Battlefield): void | Promise<void>
}

/** No answer, because the request never ended or is still being worked on. */
const unanswered = 'unanswered'

const wideValues = (count: number) => `[${'{},'.repeat(count)}{}]`

/** What the neighbours' target answers: the address says how. Undefined: never. */
export function answerOfTarget(url: string): { headers?: Record<string, string>; body?: Buffer | string } | undefined {
  if (url.includes('silent')) return undefined
  return url.includes('wide') ? { headers: { 'content-encoding': 'gzip' }, body: packedWide() } : { body: '{}' }
}

let packed: Buffer | undefined
function packedWide(): Buffer {
  packed ??= gzipSync(wideValues(11_000_000))
  return packed
}

const byStrangers: readonly Omit<Attack, 'by' | 'aim'>[] = [
  {
    name: 'pipelined requests that read nothing',
    reaches: ['200', 'closed'],
    begin: (assault) => {
      for (let socket = 0; socket < 2 * assault.strength; socket++)
        assault.send('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1100))
    },
  },
  {
    name: 'forms that never end',
    // After ten seconds such a connection is closed.
    reaches: [unanswered, 'closed'],
    begin: (assault) => {
      for (let socket = 0; socket < 50 * assault.strength; socket++)
        assault.send(
          'POST /signin HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 60000\r\n\r\nemail=',
        )
    },
  },
  {
    name: 'unsigned webhook bodies that never end',
    reaches: [unanswered, '429', '400'],
    begin: (assault, { webhookUrl }) => {
      const head = `POST ${new URL(webhookUrl).pathname} HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000\r\n\r\n`
      for (let socket = 0; socket < 13 * assault.strength; socket++) assault.send(`${head}${'x'.repeat(1_000_000)}`)
    },
  },
  {
    name: 'wrong passwords',
    reaches: ['401'],
    begin: (assault, { email }) =>
      assault.again(2, () => {
        const body = new URLSearchParams({ email, password: 'wrong' })
        return assault.ask('/signin', { method: 'POST', body })
      }),
  },
  {
    name: 'wrong keys',
    reaches: ['401'],
    begin: (assault) =>
      assault.again(4, () =>
        assault.ask('/api/Authenticate', { headers: { Consumer: crypto.randomUUID(), SecretKey: 'pbs_wrong' } }),
      ),
  },
]

const byNeighbours: readonly Omit<Attack, 'by'>[] = [
  {
    name: 'a few bytes that unpack to 32 MiB of values',
    aim: 'memory and threads',
    reaches: ['200'],
    begin: (assault) => assault.again(2, () => assault.ask('/api/ApiGet?url=http/wide', { headers: assault.keys() })),
  },
  {
    name: 'bodies of millions of values',
    aim: 'memory and threads',
    reaches: ['400'],
    begin: (assault) => {
      const body = Buffer.from(`{"script":"return 1","webhook":${wideValues(2_500_000)}}`)
      const headers = { ...assault.keys(), 'Content-Type': 'application/json' }
      return assault.again(2, () => assault.ask('/api/TestBlock', { method: 'POST', headers, body }))
    },
  },
  {
    name: 'large bodies that never end',
    aim: 'places with keys',
    reaches: [unanswered, '429'],
    begin: (assault) => {
      const head = `${assault.rawHead('POST', '/api/ApiPost?url=http/x')}Content-Type: application/json\r\n`
      for (let socket = 0; socket < 20 * assault.strength; socket++)
        assault.send(`${head}Content-Length: 40000000\r\n\r\n${' '.repeat(100_000)}`)
    },
  },
  {
    name: 'calls to a target that never answers',
    aim: 'places with keys',
    // A call has its own time limit, which may be over by the end.
    reaches: [unanswered, '400'],
    begin: (assault) => {
      const request = `${assault.rawHead('GET', '/api/ApiGet?url=http/silent')}\r\n`
      for (let socket = 0; socket < 200 * assault.strength; socket++) assault.send(request)
    },
  },
  {
    name: 'wide results of scripts',
    aim: 'results and logs',
    reaches: ['200'],
    begin: (assault, { workflows }) => assault.again(2, () => assault.run(workflows.wide)),
  },
  {
    name: 'many secrets in many lines',
    aim: 'results and logs',
    reaches: ['200'],
    begin: (assault, { workflows }) => assault.again(2, () => assault.run(workflows.secrets)),
  },
  {
    name: 'idle uploads',
    aim: 'places with keys',
    reaches: [unanswered, '429'],
    begin: (assault) => {
      const head = `${assault.rawHead('POST', '/api/ProxySecureUpload')}Content-Type: multipart/form-data; boundary=b\r\n`
      for (let socket = 0; socket < 200 * assault.strength; socket++)
        assault.send(`${head}Content-Length: 100000\r\n\r\n--b\r\n`)
    },
  },
  {
    name: 'large answers that nobody reads',
    aim: 'memory and threads',
    // On a slow machine the answer is still being unpacked.
    reaches: ['200', unanswered],
    begin: (assault) => {
      const request = `${assault.rawHead('GET', '/api/ApiGet?url=http/wide')}\r\n`
      for (let socket = 0; socket < 4 * assault.strength; socket++) assault.send(request)
    },
  },
  ...sleepingScripts.map((script) => ({
    name: `scripts that ${script.name}`,
    aim: 'script processes' as const,
    reaches: ['200'],
    lingers: script.cannotBeStopped === true,
    begin: async (assault: Assault, { scripts }: Battlefield) => {
      const runs = Math.ceil((script.runsPerAccount * assault.strength) / 8)
      const ids = scripts[script.name] ?? []
      await Promise.all(ids.flatMap((id, account) => Array.from({ length: runs }, () => assault.run(id, account))))
    },
  })),
]

export const attacks: readonly Attack[] = [
  ...byStrangers.map((attack): Attack => ({ ...attack, by: 'stranger', aim: 'places of strangers' })),
  ...byNeighbours.map((attack): Attack => ({ ...attack, by: 'neighbour' })),
]
