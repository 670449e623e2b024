// What goes wrong on a bad day: one sentence, the right exit code, nothing half done, nothing secret printed.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { joinService } from '../../server/test/harness/joined-service.ts'
import type { TestService } from '../../server/test/harness/service.ts'
import { type Fate, standBetween } from './harness/between.ts'
import { bin, environmentOf, newFolder, runCommand, runProgram, startCommand } from './harness/command.ts'

const push = '/api/PushWorkflows'

describe('on a bad day', () => {
  let service: TestService
  let env: Record<string, string>
  beforeAll(async () => {
    service = await joinService()
    env = environmentOf(service)
  })
  afterAll(() => service[Symbol.asyncDispose]())

  function writeWorkflow(root: string, folder: string, name: string, script = 'return 1\n'): void {
    mkdirSync(join(root, folder, 'blocks'), { recursive: true })
    writeFileSync(join(root, folder, 'workflow.yaml'), `name: ${name}\nblocks:\n  - name: A\n    script: blocks/a.js\n`)
    writeFileSync(join(root, folder, 'blocks/a.js'), script)
  }

  /** Three workflows, named after the test. */
  function writeFolders(prefix: string, script?: string): string {
    const root = newFolder()
    for (const no of [1, 2, 3]) writeWorkflow(root, `w${no}`, `${prefix} ${no}`, script)
    return root
  }

  const namesOf = async (prefix: string): Promise<string[]> => {
    const { body } = await service.manager.post('/api/Workflows', { page: 0, size: 100, searchTerm: prefix })
    return body.workflows.map(({ name }: { name: string }) => name).toSorted()
  }
  const all = (prefix: string) => [1, 2, 3].map((no) => `${prefix} ${no}`)

  describe('a push', () => {
    const pushVia = async (root: string, fate: Fate) => {
      const between = await standBetween(service.baseUrl, fate)
      return { between, command: startCommand(['push'], { cwd: root, env: { ...env, PATCHBAY_URL: between.url } }) }
    }

    it('leaves nothing when it is killed while the request is on its way, and the next one does all of it', async () => {
      const root = writeFolders('Early', `// ${'x'.repeat(100_000)}\nreturn 1`)
      let kill = () => {}
      const { between, command } = await pushVia(root, { path: push, cut: true, firstBytes: () => kill() })
      kill = () => void command.child.kill('SIGKILL')
      expect((await command.ended).code).toBeNull()
      await between[Symbol.asyncDispose]()
      expect(await namesOf('Early')).toEqual([])
      expect(readdirSync(join(root, 'w1'))).toEqual(['blocks', 'workflow.yaml'])
      expect(await runCommand(['push'], { cwd: root, env })).toMatchObject({ code: 0 })
      expect(await namesOf('Early')).toEqual(all('Early'))
    })

    it('leaves all of it when it is killed before the answer comes, and the next one finds nothing to do', async () => {
      const root = writeFolders('Late')
      let kill = () => {}
      const { between, command } = await pushVia(root, { path: push, answered: () => kill() })
      kill = () => void command.child.kill('SIGKILL')
      await command.ended
      await between[Symbol.asyncDispose]()
      expect(await namesOf('Late')).toEqual(all('Late'))
      const again = await runCommand(['push', '--json'], { cwd: root, env })
      expect(JSON.parse(again.stdout).map(({ done }: { done: string }) => done)).toEqual(Array(3).fill('unchanged'))
      expect(readFileSync(join(root, 'w1/.patchbay.json'), 'utf8')).toContain(service.baseUrl)
    })

    it('says how to find out what became of it when the connection is lost', async () => {
      const root = writeFolders('Lost')
      const { between, command } = await pushVia(root, { path: push, answered: () => {} })
      expect(await command.ended).toEqual({
        code: 1,
        stdout: '',
        stderr:
          'The connection was lost before the server confirmed the push. It saved everything or nothing: "patchbay diff" shows which.\n',
      })
      await between[Symbol.asyncDispose]()
      expect(await runCommand(['diff'], { cwd: root, env })).toMatchObject({ code: 0, stdout: 'No differences.\n' })
    })

    it('finishes at Ctrl-C what it has begun to send', async () => {
      const root = writeFolders('Stop')
      let stop = () => {}
      const { between, command } = await pushVia(root, { path: push, firstBytes: () => stop() })
      stop = () => void command.child.kill('SIGINT')
      expect(await command.ended).toMatchObject({ code: 0, stderr: '' })
      await between[Symbol.asyncDispose]()
      expect(await namesOf('Stop')).toEqual(all('Stop'))
    })

    it('says that the service is older, where it lacks what a push needs', async () => {
      const refusal = { code: 404, errorMessage: `No such route: POST ${push}.`, response: null }
      const { between, command } = await pushVia(writeFolders('Older'), {
        path: push,
        instead: (answer) => answer.writeHead(404, { 'Content-Type': 'application/json' }).end(JSON.stringify(refusal)),
      })
      expect(await command.ended).toEqual({
        code: 1,
        stdout: '',
        stderr: `No such route: POST ${push}. The service is older than this CLI. Update the service, or use the CLI of the same version.\n`,
      })
      await between[Symbol.asyncDispose]()
    })

    it('refuses a workflow that was deleted on the server, and creates it again only with --force', async () => {
      const root = newFolder()
      writeWorkflow(root, 'gone', 'Gone')
      const [pushed] = JSON.parse((await runCommand(['push', '--json'], { cwd: root, env })).stdout)
      await service.manager.get(`/api/DeleteWorkflow/${pushed.id}`)
      expect(await runCommand(['push'], { cwd: root, env })).toEqual({
        code: 1,
        stdout: '',
        stderr: '"Gone" was deleted on the server. Push with --force to create it again.\n',
      })
      expect(await namesOf('Gone')).toEqual([])
      expect(await runCommand(['push', '--force'], { cwd: root, env })).toEqual({
        code: 0,
        stdout: '"Gone" created\n',
        stderr: 'Creating "Gone" again.\n',
      })
    })
  })

  const broken: [what: string, change: (root: string) => void, sentence: string][] = [
    [
      'a YAML file that does not parse',
      (root) => writeFileSync(join(root, 'w1/workflow.yaml'), 'name: [X\nblocks: []\n'),
      'w1/workflow.yaml:2:1: Flow sequence in block collection must be sufficiently indented and end with a ]',
    ],
    [
      'a YAML file of another shape',
      (root) => writeFileSync(join(root, 'w1/workflow.yaml'), 'name: X\nblocks: 7\n'),
      'w1/workflow.yaml:2:9: blocks must be an array, but it is an integer.',
    ],
    [
      'a script that does not compile',
      (root) => writeFileSync(join(root, 'w1/blocks/a.js'), 'const a = 1\nconst = 2\n'),
      "w1/blocks/a.js:2: Unexpected token '='",
    ],
    [
      'two folders with one name',
      (root) => writeWorkflow(root, 'w2', 'Wrong 1'),
      'w1 and w2 both contain a workflow named "Wrong 1". Rename one.',
    ],
    [
      'a damaged state file',
      (root) => writeFileSync(join(root, 'w1/.patchbay.json'), '{'),
      'ROOT/w1/.patchbay.json is damaged. Delete it and pull the workflow again.',
    ],
  ]
  it.each(broken)('%s: push and diff say where, and send nothing', async (_, change, sentence) => {
    const root = writeFolders('Wrong')
    change(root)
    const ended = await Promise.all(['push', 'diff'].map((verb) => runCommand([verb], { cwd: root, env })))
    expect(ended).toEqual(Array(2).fill({ code: 1, stdout: '', stderr: `${sentence.replace('ROOT', root)}\n` }))
    expect(await namesOf('Wrong')).toEqual([])
  })

  it('a wrong key, a server that is away, keys without an address', async () => {
    const secretKey = 'not-the-key'
    const [wrong, away, nowhere] = await Promise.all([
      runCommand(['pull'], { env: { ...env, PATCHBAY_SECRET_KEY: secretKey } }),
      runCommand(['pull'], { env: { ...env, PATCHBAY_URL: 'http://127.0.0.1:1' } }),
      runCommand(['pull'], { env: { ...env, PATCHBAY_URL: '' } }),
    ])
    expect(wrong).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^[^\n]+ Run "patchbay login" with a valid key pair\.\n$/),
    })
    expect(wrong.stderr).not.toContain(secretKey)
    expect(away).toEqual({
      code: 1,
      stdout: '',
      stderr: 'http://127.0.0.1:1 cannot be reached. Is the service running, and is the address right?\n',
    })
    expect(nowhere).toEqual({
      code: 2,
      stdout: '',
      stderr: 'PATCHBAY_CONSUMER and PATCHBAY_SECRET_KEY are set; set PATCHBAY_URL as well.\n',
    })
  })

  describe('a full disk', () => {
    it('is said in one sentence where the output goes', async () => {
      const full = await runProgram('sh', ['-c', `exec "${process.execPath}" "${bin}" completion bash > /dev/full`])
      expect(full).toMatchObject({ code: 1, stderr: 'The output could not be written: the disk is full.\n' })
      const early = await runProgram('sh', ['-c', `"${process.execPath}" "${bin}" completion fish | head -n 1`])
      expect(early).toMatchObject({ code: 0, stderr: '' })
    })

    // A small disk of its own needs a right that not every machine gives. A limit for files everybody may set.
    const canMount = spawnSync('unshare', ['-rm', 'true']).status === 0
    const small = (folder: string) =>
      canMount
        ? ['unshare', '-rm', 'sh', '-c', `mount -t tmpfs -o size=300k tmpfs ${folder} && cd ${folder} && `]
        : ['sh', '-c', `ulimit -f 100 && cd ${folder} && `]

    it('leaves whole folders or none', async () => {
      const root = writeFolders('Full', `// ${'x'.repeat(120_000)}\nreturn 1`)
      expect((await runCommand(['push'], { cwd: root, env })).code).toBe(0)
      const [program = '', ...words] = small(newFolder())
      const script = `"${process.execPath}" "${bin}" pull "Full 1" "Full 2" "Full 3"; echo "code $?"; find . -type f | sort`
      words.push(`${words.pop()}${script}`)
      const ended = await runProgram(program, words, { ...env, PATH: process.env['PATH'] ?? '' })
      expect(ended.stderr).toMatch(
        canMount ? /^The disk is full: \S+ was not written\.\n$/ : /^\S+ was not written: it exceeds .+\n$/,
      )
      const [code, ...files] = ended.stdout.trim().split('\n')
      expect(code).toBe('code 1')
      const whole = ['.patchbay.json', 'blocks/a.js', 'workflow.yaml']
      const folders = [...new Set(files.map((file) => file.split('/')[1]))]
      expect(files).toEqual(folders.flatMap((folder) => whole.map((file) => `./${folder}/${file}`)))
      rmSync(root, { recursive: true })
    })
  })
})
