// Every verb: piped, in a real terminal, and with --json. The table is compared with the program, so no verb can be forgotten.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../server/test/harness/eventually.ts'
import { startService, type TestService } from '../../server/test/harness/service.ts'
import { createWorkflow, deployWorkflow, runToEnd } from '../../server/test/harness/workflows.ts'
import { createProgram } from '../src/program.ts'
import { environmentOf, newFolder, type RunOptions, runCommand, startCommand } from './harness/command.ts'

const escapeCharacter = String.fromCharCode(27)
const ctrlC = '\u0003'
/** A template that is always there. */
const helloWorld = '844b0939-5da5-5bd6-b7dd-262d54126bc6'
const ways = ['piped', 'in a terminal', 'with --json'] as const
type Way = (typeof ways)[number]

type Verb = {
  words: string
  says: string | RegExp
  /** Typed, or piped in. */
  input?: string
  /** In a terminal, typed when this was asked. */
  asks?: string
  /** Goes on until Ctrl-C, after it has said so. */
  untilStopped?: true
  /** Done until it has. */
  meanwhile?(): Promise<unknown>
  /** Where, below the folder of all workflows; a new folder when it is `new`. */
  in?: string
}

const blockFile = `id: 4d0c4f6e-6f0e-4a55-9a36-0d5b7a2f9c12
name: ours
description: A block of ours.
version: null
state: Draft
script: ours.js
variables: []
`
const functionFile = `/*---
id: 3d0c4f6e-6f0e-4a55-9a36-0d5b7a2f9c11
name: shout
description: In capitals.
category: Text
package: own
isAsync: false
arguments:
  text:
    type: string
examples: []
---*/
return text.toUpperCase()
`

describe('every verb', () => {
  let service: TestService
  let env: Record<string, string>
  let tickingId = ''
  const root = newFolder()
  beforeAll(async () => {
    const created = runCommand(['init', 'flows'], { cwd: root })
    service = await startService()
    const { manager, databaseUrl, dataDir } = service
    const script = "console.log('a peregrine')\nreturn { ok: true }"
    const orders = await deployWorkflow(manager, [{ blockName: 'Greet', script }], { name: 'Orders' })
    tickingId = (await deployWorkflow(manager, ['return 1'], { name: 'Ticking' })).id
    const hooked = await createWorkflow(manager, ['return 1'], { name: 'Hooked' })
    const { body: hook } = await manager.post(`/api/WebhookSettingsEnable/${hooked.id}`, {})
    env = {
      ...environmentOf(service),
      HOME: newFolder(),
      PATCHBAY_WEBHOOK_SECRET: hook.secret,
      PATCHBAY_DATABASE_URL: databaseUrl,
      PATCHBAY_DATA_DIR: dataDir,
    }
    for (const folder of ['functions', 'blocks']) mkdirSync(join(root, 'mine', folder), { recursive: true })
    writeFileSync(join(root, 'payload.json'), '{}')
    writeFileSync(join(root, 'mine/blocks/ours.yaml'), blockFile)
    writeFileSync(join(root, 'mine/blocks/ours.js'), 'return 1\n')
    writeFileSync(join(root, 'mine/functions/shout.js'), functionFile)
    await runToEnd(manager, orders.id)
    await eventually(
      async () => (await manager.post('/api/SearchRuns', { searchTerm: 'peregrine' })).body.items.length > 0,
    )
    expect((await created).code).toBe(0)
  })
  afterAll(() => service[Symbol.asyncDispose]())

  /** One list after the other would take long: only the verbs of one list need what those before them made. */
  const lists = (): Verb[][] => [
    [
      { words: 'push', says: /"Hello" (created|unchanged)/, in: 'flows' },
      { words: 'pull', says: 'hello  "Hello"', in: 'flows' },
      { words: 'diff', says: 'No differences.', in: 'flows' },
      { words: 'types', says: 'Wrote', in: 'flows' },
      { words: 'deploy Hello', says: 'Deployed "Hello".' },
      { words: 'run Hello --follow', says: /ended as .*Ready/ },
      { words: 'runs Hello', says: 'Ready' },
    ],
    [
      {
        words: `login --url ${service.baseUrl} --consumer ${service.firstAccount.consumer} --secret-key-stdin --profile other`,
        says: 'Logged in to',
        input: `${service.firstAccount.secretKey}\n`,
        asks: 'SecretKey: ',
      },
      { words: 'whoami', says: service.firstAccount.email },
      { words: 'accounts', says: service.firstAccount.email },
      { words: 'test', says: '1 of 1 tests passed.', in: 'flows' },
      { words: 'doctor', says: 'Keys: ' },
    ],
    [
      { words: 'init', says: 'Created hello, a workflow', in: 'new' },
      { words: 'logs Orders', says: 'a peregrine' },
      { words: 'search peregrine', says: 'Orders / run 1' },
      { words: 'replay Orders --last 1', says: '1 same, 0 different' },
      {
        words: 'tail',
        says: 'run.ended',
        untilStopped: true,
        meanwhile: () => runToEnd(service.manager, tickingId),
      },
    ],
    [
      { words: 'vault set token', says: 'Stored "token".', input: '"sesame"\n' },
      { words: 'vault get token', says: 'sesame' },
      { words: 'vault ls', says: 'token' },
      { words: 'vault rm token', says: 'Deleted "token".' },
      { words: 'webhook send Hooked --data payload.json', says: 'answered 200' },
      { words: 'events send order.paid --data payload.json', says: '0 runs woken.' },
      { words: 'approve', says: 'Nothing waits for an approval.' },
      { words: 'webhook forward Hooked --to http://127.0.0.1:1/', says: 'Waiting for requests', untilStopped: true },
    ],
    [
      { words: 'catalog check mine', says: 'shout' },
      { words: 'catalog import mine', says: 'shout' },
      { words: 'catalog export out', says: /\d files? in out\./ },
      { words: 'templates publish ours --block', says: /Published "ours" as version \d/ },
      { words: `templates upgrade ${helloWorld}`, says: 'has started' },
    ],
    [
      { words: 'start worker', says: 'Patchbay worker is ready', untilStopped: true },
      { words: 'mcp', says: 'Serving tools for http', untilStopped: true },
      { words: 'completion bash', says: 'complete -o default -F _patchbay patchbay' },
    ],
  ]

  it('is in the table', () => {
    const leaves = (command: Command, words: string[]): string[] =>
      command.commands.length === 0
        ? [words.join(' ')]
        : command.commands.flatMap((one) => leaves(one, [...words, one.name()]))
    const program = createProgram((parent, usage, description) => parent.command(usage).description(description))
    const told = lists().flatMap((verbs) => verbs.map(({ words }) => words))
    expect(leaves(program, []).filter((verb) => !told.some((words) => `${words} `.startsWith(`${verb} `)))).toEqual([])
  })

  it.each(ways)('does its work %s', async (way) => {
    await Promise.all(
      lists().map(async (verbs) => {
        for (const verb of verbs) await tryVerb(verb, way)
      }),
    )
  })

  async function tryVerb(verb: Verb, way: Way): Promise<void> {
    // Those that go on until Ctrl-C print one value for each event.
    if (way === 'with --json' && verb.untilStopped) return
    const isTyped = verb.untilStopped || (verb.asks && way === 'in a terminal')
    const ended = await (isTyped ? typed(verb, way) : runCommand(wordsOf(verb, way), optionsOf(verb, way)))
    const all = ended.stdout + ended.stderr
    const isAsItShould =
      way === 'with --json'
        ? isJson(ended.stdout)
        : typeof verb.says === 'string'
          ? all.includes(verb.says)
          : verb.says.test(all)
    expect([verb.words, ended.code, isAsItShould || all]).toEqual([verb.words, 0, true])
    expect(all).not.toContain(service.firstAccount.secretKey)
    if (way !== 'in a terminal') expect(all).not.toContain(escapeCharacter)
  }

  function isJson(text: string): boolean {
    try {
      return JSON.parse(text) !== undefined
    } catch {
      return false
    }
  }

  function wordsOf({ words }: Verb, way: Way): string[] {
    return [...words.split(' '), ...(way === 'with --json' ? ['--json'] : [])]
  }

  function optionsOf(verb: Verb, way: Way): RunOptions {
    return {
      cwd: verb.in === 'new' ? newFolder() : join(root, verb.in ?? '.'),
      env,
      ...(verb.input === undefined ? {} : { input: verb.input }),
      ...(way === 'in a terminal' ? { terminal: true } : {}),
    }
  }

  /** Ctrl-C comes from the keyboard in a terminal, and as a signal elsewhere. */
  async function typed(verb: Verb, way: Way) {
    const command = startCommand(wordsOf(verb, way), { ...optionsOf(verb, way), keepsInput: true })
    await eventually(async () => {
      await verb.meanwhile?.()
      return (command.stdout() + command.stderr()).includes(verb.asks ?? (verb.says as string))
    })
    if (way === 'piped') command.child.kill('SIGINT')
    else command.child.stdin.write(verb.asks ? (verb.input as string) : ctrlC)
    return command.ended
  }
})
