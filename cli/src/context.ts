// What every command is given. The client is made when a command first asks for it: many need none.
import type { Choice, Connection } from './session/connect.ts'
import type { Environment } from './session/profiles.ts'
import { createTerminal, type Terminal } from './terminal.ts'

export type Context = {
  readonly terminal: Terminal
  readonly env: Environment
  readonly cwd: string
  readonly choice: Choice
  /** Ends at Ctrl-C. */
  readonly signal: AbortSignal
  connect(): Promise<Connection>
}

export function createContext(
  choice: Choice & { json?: boolean; color?: boolean },
  env: Environment,
  cwd: string,
): Context {
  const controller = new AbortController()
  process.once('SIGINT', () => controller.abort())
  process.once('SIGTERM', () => controller.abort())
  let connection: Promise<Connection> | undefined
  return {
    terminal: createTerminal(choice.json ?? false, choice.color ?? true),
    env,
    cwd,
    choice,
    signal: controller.signal,
    connect: () => {
      // The sdk brings the whole contract; help and local commands do not wait for it.
      connection ??= import('./session/connect.ts').then(({ connect }) => connect(env, choice))
      return connection
    },
  }
}
