// The command as a person or a CI job runs it: a process of its own, piped or in a real terminal.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'
import type { TestService } from '../../../server/test/harness/service.ts'

export const bin = fileURLToPath(new URL('../../bin/patchbay.js', import.meta.url))

export type Ended = { code: number | null; stdout: string; stderr: string }
export type RunOptions = {
  cwd?: string
  input?: string
  /** Standard input stays open, for more to be written to it. */
  keepsInput?: true
  env?: Record<string, string>
  terminal?: boolean
}

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** An empty folder. It is removed when the test file has ended. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-cli-'))
  folders.push(folder)
  return folder
}

export function environmentOf(service: TestService): Record<string, string> {
  return {
    PATCHBAY_URL: service.baseUrl,
    PATCHBAY_CONSUMER: service.firstAccount.consumer,
    PATCHBAY_SECRET_KEY: service.firstAccount.secretKey,
  }
}

/** The command under way, for those that go on until they are told to end. */
export function startCommand(words: readonly string[], options: RunOptions = {}) {
  const { PATH = '' } = process.env
  const argv = [process.execPath, bin, ...words]
  // `script` gives the command a pseudo-terminal; its output comes as one stream.
  const [program, ...rest] = options.terminal
    ? ['script', '-qec', `exec ${argv.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')}`, '/dev/null']
    : argv
  const child = spawn(program as string, rest, {
    cwd: options.cwd ?? newFolder(),
    env: { PATH, TERM: 'xterm-256color', HOME: newFolder(), ...options.env },
  })
  child.stdin.on('error', () => {})
  if (!options.keepsInput) child.stdin.end(options.input ?? '')
  return watch(child)
}

function watch(child: ChildProcessWithoutNullStreams) {
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const ended = new Promise<Ended>((done, fail) => {
    child.on('error', fail)
    child.on('close', (code) => done({ code, stdout, stderr }))
  })
  return { child, ended, stdout: () => stdout, stderr: () => stderr }
}

export function runCommand(words: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return startCommand(words, options).ended
}

/** Another program, for example a shell that runs the command. */
export function runProgram(
  program: string,
  words: readonly string[],
  env: Record<string, string> = {},
  cwd = newFolder(),
): Promise<Ended> {
  const { PATH = '' } = process.env
  return watch(spawn(program, words, { cwd, env: { PATH, HOME: newFolder(), ...env } })).ended
}
