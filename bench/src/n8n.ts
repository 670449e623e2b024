// n8n beside us: installed from npm in a directory of its own, started as it comes, with its history saved.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { requestsPerSecond } from './measure.ts'

/** Where somebody ran `npm install n8n`. */
const installation = process.env['PATCHBAY_BENCH_N8N']
const port = 5690

/** Answers when the last node is done, or as soon as the request is taken. */
export type N8nAnswer = 'lastNode' | 'onReceived'

export type N8n = AsyncDisposable & {
  /** Requests a second at full load, with every run saved. */
  perSecond(blocks: number, seconds: number): Promise<number>
}

/** Warm and with a workflow of each number of blocks; undefined when n8n is not there. */
export async function startN8n(
  script: string,
  blockCounts: readonly number[],
  answer: N8nAnswer = 'lastNode',
): Promise<N8n | undefined> {
  if (installation === undefined) return undefined
  const program = join(installation, 'node_modules', 'n8n', 'bin', 'n8n')
  if (!existsSync(program)) throw new Error(`There is no n8n in ${installation}.`)
  const directory = mkdtempSync(join(tmpdir(), 'patchbay-bench-n8n-'))
  const env = {
    PATH: process.env['PATH'],
    HOME: directory,
    N8N_USER_FOLDER: directory,
    N8N_PORT: String(port),
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_DIAGNOSTICS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
  }
  const run = promisify(execFile)
  for (const blocks of blockCounts) {
    const file = join(directory, `${blocks}.json`)
    writeFileSync(file, JSON.stringify([workflowOf(blocks, script, answer)]))
    await run(process.execPath, [program, 'import:workflow', `--input=${file}`], { env })
    await run(process.execPath, [program, 'publish:workflow', `--id=${idOf(blocks)}`], { env })
  }
  const child = spawn(process.execPath, [program, 'start'], { env, stdio: 'ignore' })
  const ended = new Promise((done) => child.on('close', done))
  const perSecond = async (blocks: number, seconds: number) => {
    const url = `http://127.0.0.1:${port}/webhook/blocks-${blocks}`
    await untilAnswered(child, url)
    return (await requestsPerSecond({ url, connections: 16, seconds })).perSecond
  }
  for (const blocks of blockCounts) await perSecond(blocks, 5)
  return {
    perSecond,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

async function untilAnswered(child: ChildProcess, url: string): Promise<void> {
  for (const startedAt = performance.now(); performance.now() - startedAt < 120_000; ) {
    if (child.exitCode !== null) throw new Error('n8n ended.')
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok) return
    await new Promise((done) => setTimeout(done, 500))
  }
  throw new Error(`n8n does not answer at ${url}.`)
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
