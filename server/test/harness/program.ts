// The service as an operator runs it: a process of its own, started from the command line.
import { type ChildProcess, spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundledProgram } from './bundled-program.ts'
import { eventually } from './eventually.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Compiling the program takes half of its start, so what one start compiled serves all later ones. */
export const programEnvironment = {
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  NODE_COMPILE_CACHE: join(tmpdir(), 'patchbay-test-compiled'),
}

export type Program = AsyncDisposable & {
  pid: number
  output(): string
  /** Waits for a line and returns what the expression found in it. */
  saw(expression: RegExp): Promise<RegExpMatchArray>
  kill(signal: NodeJS.Signals): void
  /** Nobody reads what it says from now on, as when the reader of a pipe has ended. */
  stopReading(): void
  /** The exit code, or the signal's name. */
  ended: Promise<number | string>
}

export function startProgram(file: 'main' | 'admin', args: string[], env: Record<string, string>): Program {
  return follow(process.execPath, [programFile(file), ...args], env)
}

/** What it says goes to an open file instead; its `output` stays empty. */
export function startProgramInto(fd: number, env: Record<string, string>): Program {
  return follow(process.execPath, [programFile('main')], env, { fd })
}

export function programFile(file: 'main' | 'admin'): string {
  return join(bundledProgram(), file === 'main' ? 'run.js' : 'admin.js')
}

/** As a person does it, in a process group of its own, as a terminal would make one: signals to the group reach npm and the service. */
export function startByNpm(env: Record<string, string>): Program & { killGroup(signal: NodeJS.Signals): void } {
  const program = follow('npm', ['start'], env, { isGroup: true })
  return { ...program, killGroup: (signal) => void process.kill(-program.pid, signal) }
}

function follow(
  command: string,
  args: string[],
  env: Record<string, string>,
  { isGroup = false, fd }: { isGroup?: boolean; fd?: number } = {},
): Program {
  const child: ChildProcess = spawn(command, args, {
    detached: isGroup,
    cwd: root,
    env: { ...programEnvironment, ...env },
    stdio: ['ignore', fd ?? 'pipe', fd ?? 'pipe'],
  })
  let text = ''
  child.stdout?.on('data', (chunk) => {
    text += chunk
  })
  child.stderr?.on('data', (chunk) => {
    text += chunk
  })
  const ended = new Promise<number | string>((done) =>
    child.on('close', (code, signal) => done(code ?? signal ?? 'unknown')),
  )
  let hasEnded = false
  void ended.then(() => {
    hasEnded = true
  })
  return {
    pid: child.pid as number,
    output: () => text,
    saw: async (expression) => {
      const seen = await eventually(() => text.match(expression) ?? (hasEnded ? 'ended' : undefined))
      if (seen === 'ended') throw new Error(`The program ended without saying ${expression}:\n${text}`)
      return seen
    },
    kill: (signal) => void child.kill(signal),
    stopReading: () => {
      child.stdout?.destroy()
      child.stderr?.destroy()
    },
    ended,
    async [Symbol.asyncDispose]() {
      if (!hasEnded) child.kill('SIGTERM')
      await ended
    },
  }
}
