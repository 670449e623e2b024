// Who runs the tests: a local process with the sandbox of the service, or the service itself.
import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Answer, BodyOf, Client, Operations } from '@patchbay/sdk'
import { Failure } from '../failure.ts'

export type TestInput = BodyOf<Operations['TestBlock']>
export type TestAnswer = Answer<'TestBlock'>
export type Tester = AsyncDisposable & { test(body: TestInput): Promise<TestAnswer> }

type Line = { id: number; answer?: TestAnswer; error?: string }
type Waiting = { done(answer: TestAnswer): void; fail(error: Error): void }

export function testLocally(program: string): Tester {
  // It loads much of the service, compiled once like the command itself.
  const env = { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'), ...process.env }
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'pipe'], env })
  const waiting = new Map<number, Waiting>()
  let said = ''
  child.stderr.on('data', (chunk) => {
    said += chunk
  })
  const ended = new Promise<void>((done) => {
    const end = (why: string) => {
      for (const { fail } of waiting.values()) fail(new Failure(`The sandbox cannot run here. ${why}`.trim()))
      waiting.clear()
      done()
    }
    child.on('error', (error) => end(error.message))
    child.on('close', () => end(said.trim().split('\n').at(-1) ?? ''))
  })
  child.stdin.on('error', () => {})
  createInterface({ input: child.stdout }).on('line', (text) => {
    const { id, answer, error } = JSON.parse(text) as Line
    const one = waiting.get(id)
    waiting.delete(id)
    if (answer) one?.done(answer)
    else one?.fail(new Failure(error ?? 'The sandbox gave no answer.'))
  })
  let count = 0
  return {
    test: (body) =>
      new Promise((done, fail) => {
        const id = ++count
        waiting.set(id, { done, fail })
        child.stdin.write(`${JSON.stringify({ id, body })}\n`)
      }),
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await ended
    },
  }
}

export function testOnService(client: Client): Tester {
  return {
    test: (body) => client.testBlock({ body }),
    async [Symbol.asyncDispose]() {},
  }
}
