import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Starts a program that serves something bare, and waits for the address that it prints. */
export async function startBareProgram(
  program: URL,
  args: string[] = [],
): Promise<AsyncDisposable & { url: string; pid: number }> {
  const child = spawn(process.execPath, [fileURLToPath(program), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await new Promise<string>((done) => child.stdout.on('data', (chunk) => done(String(chunk).trim())))
  return {
    url,
    pid: child.pid as number,
    [Symbol.asyncDispose]: () =>
      new Promise((done) => {
        child.on('close', () => done())
        child.kill('SIGTERM')
      }),
  }
}
