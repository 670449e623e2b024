/** Exit codes: 0 done, 1 failed, 2 usage error, 3 differences found. */
export type ExitCode = 0 | 1 | 2 | 3

/** A sentence for the person at the terminal, and the code to leave with. */
export class Failure extends Error {
  override name = 'Failure'
  readonly exitCode: ExitCode

  constructor(message: string, exitCode: ExitCode = 1, cause?: unknown) {
    super(message, { cause })
    this.exitCode = exitCode
  }
}

/** For arguments that cannot be meant. */
export function wrongUse(message: string): Failure {
  return new Failure(message, 2)
}
