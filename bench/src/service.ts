// The service as an operator starts it, measured from outside.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

export type BenchService = AsyncDisposable & {
  baseUrl: string
  keys: { Consumer: string; SecretKey: string }
  pid: number
  readyMs: number
  /** Signs the first account in, once. */
  signInLink: string
  dataDir: string
}

export async function startBenchService(
  dataDir: string,
  env: Record<string, string> = {},
  /** A module that is loaded before the program. */
  preload?: string,
): Promise<BenchService> {
  const startedAt = performance.now()
  const preloading = preload === undefined ? [] : ['--import', preload]
  const child = spawn(process.execPath, [...preloading, 'server/src/main.ts'], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      PATCHBAY_DATA_DIR: dataDir,
      PATCHBAY_PORT: '0',
      PATCHBAY_LOG_LEVEL: 'warn',
      PATCHBAY_RATE_LIMIT_PER_SECOND: '1000000',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const { baseUrl, signInLink } = await firstWordsOf(child)
  const readyMs = performance.now() - startedAt
  const first = JSON.parse(readFileSync(join(dataDir, 'first-account.json'), 'utf8'))
  return {
    baseUrl,
    signInLink,
    readyMs,
    dataDir,
    pid: child.pid as number,
    keys: { Consumer: first.consumer, SecretKey: first.secretKey },
    async [Symbol.asyncDispose]() {
      const ended = new Promise((done) => child.on('close', done))
      child.kill('SIGTERM')
      await ended
    },
  }
}

export function newDataDir(): Disposable & { path: string } {
  const parent = mkdtempSync(join(tmpdir(), 'patchbay-bench-'))
  return { path: join(parent, 'data'), [Symbol.dispose]: () => rmSync(parent, { recursive: true, force: true }) }
}

/** Memory of the service and of everything it started, in MB. Shared pages count once, as the kernel divides them (PSS). */
export function memoryMb(pid: number): number {
  const pids = descendants(pid)
  const kilobytes = pids.map((each) => {
    const rollup = readFileSync(`/proc/${each}/smaps_rollup`, 'utf8')
    return Number(rollup.match(/^Pss:\s+(\d+)/m)?.[1] ?? 0)
  })
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1024
}

function descendants(pid: number): number[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
  const children = (of: number): number[] =>
    rows.filter(([, parent]) => parent === of).flatMap(([child]) => [child as number, ...children(child as number)])
  return [pid, ...children(pid)]
}

function firstWordsOf(child: ChildProcess): Promise<{ baseUrl: string; signInLink: string }> {
  return new Promise((done, fail) => {
    let text = ''
    child.stdout?.on('data', (chunk) => {
      text += chunk
      const match = text.match(/Patchbay is ready at (\S+) /)
      const link = text.match(/set a password: (\S+)/)
      if (match) done({ baseUrl: match[1] as string, signInLink: link?.[1] ?? '' })
    })
    child.on('close', () => fail(new Error(`The service ended:\n${text}`)))
  })
}
