// n8n beside us: started as it comes, with its history saved. It may fail to start or die under the load; the bench goes on and says so.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { requestsPerSecond } from './measure.ts'
import { findOrInstallN8n } from './n8n-installation.ts'
import type { Row } from './report.ts'

const port = 5690

/** Answers when the last node is done, or as soon as the request is taken. */
export type N8nAnswer = 'lastNode' | 'onReceived'

/** A peer that may fail at any time; from then on it has no figures. */
export class N8n implements AsyncDisposable {
  readonly #directory = mkdtempSync(join(tmpdir(), 'patchbay-bench-n8n-'))
  #child: ChildProcess | undefined
  #failure: string | undefined

  /** Warm and with a workflow of each number of blocks. */
  static async start(script: string, blockCounts: readonly number[], answer: N8nAnswer = 'lastNode'): Promise<N8n> {
    const n8n = new N8n()
    await n8n.#start(script, blockCounts, answer).catch((error: Error) => n8n.#fail(error))
    for (const blocks of blockCounts) await n8n.perSecond(blocks, 5)
    return n8n
  }

  /** Requests a second at full load, with every run saved; undefined once it has failed. */
  async perSecond(blocks: number, seconds: number): Promise<number | undefined> {
    if (this.#failure !== undefined || !this.#child) return undefined
    const url = `http://127.0.0.1:${port}/webhook/blocks-${blocks}`
    try {
      await untilAnswered(this.#child, url)
      return (await requestsPerSecond({ url, connections: 16, seconds })).perSecond
    } catch (error) {
      this.#fail(error as Error)
      return undefined
    }
  }

  /** What became of it, where it has no figures to compare with. */
  rows(): Row[] {
    if (this.#failure === undefined) return []
    return [
      { what: 'n8n under the same load', measured: this.#failure, wanted: 'figures to compare', isMet: undefined },
    ]
  }

  async #start(script: string, blockCounts: readonly number[], answer: N8nAnswer): Promise<void> {
    const program = await findOrInstallN8n()
    const env = {
      PATH: process.env['PATH'],
      HOME: this.#directory,
      N8N_USER_FOLDER: this.#directory,
      N8N_PORT: String(port),
      N8N_LISTEN_ADDRESS: '127.0.0.1',
      N8N_DIAGNOSTICS_ENABLED: 'false',
      N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
    }
    const run = promisify(execFile)
    for (const blocks of blockCounts) {
      const file = join(this.#directory, `${blocks}.json`)
      writeFileSync(file, JSON.stringify([workflowOf(blocks, script, answer)]))
      await run(process.execPath, [program, 'import:workflow', `--input=${file}`], { env })
      await run(process.execPath, [program, 'publish:workflow', `--id=${idOf(blocks)}`], { env })
    }
    this.#child = spawn(process.execPath, [program, 'start'], { env, stdio: 'ignore' })
  }

  #fail(error: Error): void {
    const { exitCode, signalCode } = this.#child ?? {}
    const hasEnded = typeof exitCode === 'number' || typeof signalCode === 'string'
    const end = hasEnded ? `ended with ${signalCode ?? `code ${exitCode}`}` : 'failed'
    this.#failure = `${end}: ${error.message.split('\n')[0]}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const child = this.#child
    if (child && child.exitCode === null && child.signalCode === null) {
      const ended = new Promise((done) => child.on('close', done))
      child.kill('SIGTERM')
      await ended
    }
    rmSync(this.#directory, { recursive: true, force: true })
  }
}

async function untilAnswered(child: ChildProcess, url: string): Promise<void> {
  for (const startedAt = performance.now(); performance.now() - startedAt < 120_000; ) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('it ended before it answered')
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok) return
    await new Promise((done) => setTimeout(done, 500))
  }
  throw new Error(`no answer at ${url}`)
}

function idOf(blocks: number): string {
  return `benchBlocks${String(blocks).padStart(5, '0')}`
}

/** A webhook and so many code nodes behind it. */
function workflowOf(blocks: number, script: string, responseMode: N8nAnswer): object {
  const nodes = Array.from({ length: blocks }, (_, index) => ({
    id: `node-${index}`,
    name: `Code ${index}`,
    type: 'n8n-nodes-base.code',
    typeVersion: 2,
    position: [200 * (index + 1), 0],
    parameters: { jsCode: script.replace('return { value: fibo(10) }', 'return [{ json: { value: fibo(10) } }]') },
  }))
  const path = `blocks-${blocks}`
  const names = ['Webhook', ...nodes.map((node) => node.name)]
  return {
    id: idOf(blocks),
    name: path,
    active: false,
    settings: { executionOrder: 'v1' },
    nodes: [
      {
        id: 'webhook',
        name: 'Webhook',
        type: 'n8n-nodes-base.webhook',
        typeVersion: 2,
        position: [0, 0],
        webhookId: path,
        parameters: { path, httpMethod: 'GET', responseMode },
      },
      ...nodes,
    ],
    connections: Object.fromEntries(
      names.slice(0, -1).map((name, index) => [name, { main: [[{ node: names[index + 1], type: 'main', index: 0 }]] }]),
    ),
  }
}
