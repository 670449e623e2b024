// The packages as a customer has them: packed, installed from their tarballs into an empty folder, started and used, on every Node that is
// promised. Nothing of the repository is in reach of what runs here.
import { execFile, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { printedBy, readExamples } from '../sdk/test/readme-examples.ts'
import { startOwnRegistry } from './own-registry.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')
const work = mkdtempSync(join(tmpdir(), 'patchbay-install-'))
const home = join(work, 'home')
const folder = join(work, 'empty')
const { PATH = '' } = process.env
/** npm, and not the Node of this repository: its folders are left out. */
const systemPath = PATH.split(':')
  .filter((path) => !path.includes('node_modules'))
  .join(':')
const plain = {
  PATH: systemPath,
  HOME: home,
  npm_config_cache: join(work, 'cache'),
  npm_config_update_notifier: 'false',
}

/** Packing writes beside the sources, which other tests are reading: so it is done in a copy. */
function copySources(): string {
  const copy = join(work, 'copy')
  const skipped = /(^|\/)(node_modules|dist|data|\.git)(\/|$)/
  const filter = (path: string) => !skipped.test(path.slice(root.length + 1))
  for (const name of readdirSync(root)) {
    if (!skipped.test(name)) cpSync(join(root, name), join(copy, name), { recursive: true, filter })
  }
  const [from, to] = [join(root, 'node_modules'), join(copy, 'node_modules')]
  mkdirSync(join(to, '@patchbay'), { recursive: true })
  for (const name of readdirSync(from)) if (name !== '@patchbay') symlinkSync(join(from, name), join(to, name))
  for (const own of readdirSync(join(from, '@patchbay'))) symlinkSync(join(copy, own), join(to, '@patchbay', own))
  // What was built from the same sources is not built again.
  cpSync(join(root, 'console/dist'), join(copy, 'console/dist'), { recursive: true })
  return copy
}

async function pack(copy: string, words: string[]): Promise<string> {
  // The build needs the Node of the repository.
  const env = { ...plain, PATH: `${join(process.execPath, '..')}:${systemPath}` }
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', work, ...words], { cwd: copy, env })
  // npm prints what the build says before its own answer.
  const [made] = Object.values(JSON.parse(stdout.slice(stdout.search(/^[[{]$/m)))) as [{ filename: string }]
  return join(work, made.filename)
}

/** The Node of this process, and that of the system where it is another. */
async function findNodes(): Promise<Map<string, string>> {
  const { stdout } = await run('node', ['-p', 'process.execPath'], { env: plain }).catch(() => ({ stdout: '' }))
  const nodes = [process.execPath, stdout.trim()].filter((path) => path !== '')
  const named = nodes.map(async (path): Promise<[string, string]> => [(await run(path, ['-v'])).stdout.trim(), path])
  return new Map(await Promise.all(named))
}

/** Deno and Bun are no part of the repository: they are tried where the machine has them. */
async function findOtherRuntimes(): Promise<string[][]> {
  const known = [
    ['deno', 'run', '--allow-all'],
    ['bun', 'run'],
  ]
  const found = known.map(async ([program = '', ...words]) =>
    (await run(program, ['--version'], { env: plain }).catch(() => undefined)) ? [[program, ...words]] : [],
  )
  return (await Promise.all(found)).flat()
}

type Account = { consumer: string; secretKey: string; email: string }

const nodes = await findNodes()
const readme = readFileSync(join(root, 'cli/README.md'), 'utf8')

describe('the packed packages, installed into an empty folder', () => {
  const patchbay = join(folder, 'node_modules/.bin/patchbay')
  /** The bin as a shell would start it, with this Node first on the path. */
  const cli = async (
    node: string,
    words: string[],
    options: { env?: Record<string, string>; input?: string; cwd?: string } = {},
  ) => {
    const asked = run(node, [patchbay, ...words], { cwd: options.cwd ?? folder, env: { ...plain, ...options.env } })
    asked.child.stdin?.end(options.input ?? '')
    return asked
  }
  beforeAll(async () => {
    await run(process.execPath, [join(root, 'console/build.ts')])
    const copy = copySources()
    const tarballs = [await pack(copy, []), await pack(copy, ['--workspace', 'sdk'])]
    mkdirSync(folder)
    mkdirSync(home)
    await using registry = await startOwnRegistry(join(root, 'node_modules'))
    const words = ['install', '--no-audit', '--no-fund', '--registry', registry.url, ...tarballs]
    await run('npm', words, { cwd: folder, env: plain })
  })
  afterAll(() => rmSync(work, { recursive: true, force: true }))

  it('bring the Node they need, no sources and no tests', async () => {
    expect((await run(join(folder, 'node_modules/.bin/node'), ['-v'])).stdout).toMatch(/^v24\./)
    const files = readdirSync(join(folder, 'node_modules/patchbay/dist'), { recursive: true, encoding: 'utf8' })
    expect(files.filter((file) => /(?<!\.d)\.tsx?$|\.test\./.test(file))).toEqual([])
    expect(files).toContain('console/dist/index.html')
    const { dependencies } = JSON.parse(readFileSync(join(folder, 'node_modules/@patchbay/sdk/package.json'), 'utf8'))
    expect(Object.keys(dependencies)).toEqual(['typebox'])
  })

  it('give types to whoever imports the SDK', async () => {
    const code = [
      "import { createClient, type StreamEvent } from '@patchbay/sdk'",
      "const client = createClient({ baseUrl: 'http://localhost' })",
      "export const name: Promise<string> = client.workflow({ params: { id: 'x' } }).then(({ name }) => name)",
      'export const ids: string[] = []',
      "for await (const { id } of client.each('WorkflowsSearch')) ids.push(id)",
      'export type Seen = StreamEvent',
      '// @ts-expect-error there is no such operation',
      'client.nothing()',
    ]
    writeFileSync(join(folder, 'use.mts'), code.join('\n'))
    const words = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'esnext',
      '--lib',
      'esnext,dom',
      '--types',
      '',
      'use.mts',
    ]
    await run(join(root, 'node_modules/.bin/tsc'), words, { cwd: folder }).catch((error) =>
      expect(error.stdout).toBe(''),
    )
  })

  it.each([...nodes])(
    'start the service with its console, and the command line works, on Node %s',
    async (version, node) => {
      const at = join(folder, version)
      mkdirSync(at)
      expect((await cli(node, ['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
      const env = { ...plain, PATCHBAY_PORT: '0', PATCHBAY_DATA_DIR: join(at, 'data'), PATCHBAY_LOG_LEVEL: 'silent' }
      const service = spawn(node, [patchbay], { cwd: at, env, stdio: ['ignore', 'pipe', 'inherit'] })
      const ended = new Promise((done) => service.on('close', done))
      try {
        const url = await addressOf(service.stdout)
        const page = await fetch(url, { headers: { Accept: 'text/html' } })
        const [, script] = (await page.text()).match(/src="(\/assets\/[^"]+\.js)"/) ?? []
        expect([page.status, (await fetch(url + script)).status]).toEqual([200, 200])
        const account = JSON.parse(readFileSync(join(at, 'data/first-account.json'), 'utf8')) as Account
        // The oldest Node is the hardest case; once is enough for the rest.
        if (node === [...nodes.values()].at(-1)) await followReadme(node, at, url)
        await useBoth(node, url, account)
        if (node === process.execPath) await runExamples(url, account)
      } finally {
        service.kill('SIGTERM')
      }
      expect(await ended).toBe(0)
    },
  )

  async function followReadme(node: string, at: string, url: string): Promise<void> {
    const env = { XDG_CONFIG_HOME: join(at, 'config') }
    // What the README of the command line tells people to type, word for word but for the port.
    const [, typed = ''] = readme.match(/In a second terminal[\s\S]*?```sh\n([\s\S]*?)```/) ?? []
    const shell = run('sh', ['-ec', typed.replace('http://127.0.0.1:8080', url)], {
      cwd: at,
      env: { ...plain, ...env, PATH: `${dirname(node)}:${systemPath}` },
    })
    shell.child.stdin?.end()
    const { stdout } = await shell
    expect(stdout).toMatch(
      /Logged in[\s\S]*1 of 1 tests passed\.[\s\S]*"Hello" created[\s\S]*Deployed[\s\S]*Ready[\s\S]*No differences\./,
    )
    const flows = { env, cwd: join(at, 'my-workflows') }
    expect((await cli(node, ['types'], flows)).stdout).toContain('Wrote hello')
    expect((await cli(node, ['doctor'], flows)).stdout).not.toContain('fail')
  }

  async function useBoth(node: string, url: string, { consumer, secretKey, email }: Account): Promise<void> {
    const env = { PATCHBAY_URL: url, PATCHBAY_CONSUMER: consumer, PATCHBAY_SECRET_KEY: secretKey }
    expect((await cli(node, ['whoami'], { env })).stdout).toContain(email)
    const opening = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
    })
    expect(await firstLine(node, env, opening)).toMatchObject({ result: { serverInfo: { name: 'patchbay' } } })
    const code = `import { createClient } from '@patchbay/sdk'
      const client = createClient({ baseUrl: '${url}', keys: { consumer: '${consumer}', secretKey: process.env.KEY } })
      console.log((await client.authenticate()).myAccount.email)`
    const words = ['--input-type=module', '-e', code]
    expect((await run(node, words, { cwd: folder, env: { ...plain, KEY: secretKey } })).stdout).toBe(`${email}\n`)
  }

  /** The ten examples of the SDK's README, from the installed package, in every program that can run them here. */
  async function runExamples(url: string, { consumer, secretKey, email }: Account): Promise<void> {
    writeFileSync(join(folder, 'examples.mjs'), readExamples().join('\n'))
    const env = { ...plain, PATCHBAY_URL: url, PATCHBAY_CONSUMER: consumer, PATCHBAY_SECRET_KEY: secretKey }
    const programs = [...[...nodes.values()].map((node) => [node]), ...(await findOtherRuntimes())]
    const outputs = programs.map(async ([program = '', ...words]) => {
      const { stdout } = await run(program, [...words, 'examples.mjs'], { cwd: folder, env })
      return [program, stdout.trim().split('\n')]
    })
    expect(await Promise.all(outputs)).toEqual(programs.map(([program]) => [program, printedBy(email)]))
  }

  async function firstLine(node: string, env: Record<string, string>, line: string): Promise<unknown> {
    const child = spawn(node, [patchbay, 'mcp'], { env: { ...plain, ...env }, stdio: ['pipe', 'pipe', 'ignore'] })
    child.stdin.write(`${line}\n`)
    const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()
    child.stdin.end()
    return JSON.parse(value ?? 'null')
  }
})

async function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const [, found] = line.match(/ready at (\S+)/) ?? []
    if (found) return found
  }
  throw new Error('The service ended before it listened.')
}
