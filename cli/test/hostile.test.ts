// A repository and a service that others write to: links in the one lead nowhere, and control characters of the other reach no terminal.

import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../../server/test/harness/service.ts'
import { deployWorkflow, runToEnd } from '../../server/test/harness/workflows.ts'
import { environmentOf, newFolder, runCommand, runProgram } from './harness/command.ts'

let service: TestService
let env: Record<string, string>
beforeAll(async () => {
  service = await startService()
  env = environmentOf(service)
})
afterAll(() => service[Symbol.asyncDispose]())

/** A project with one pulled workflow, beside a folder of sources that nobody gave to this tool. */
async function project(name: string): Promise<{ root: string; sources: string; folder: string }> {
  const { body: id } = await service.manager.post('/api/Workflow', {
    name,
    chain: [
      { blockName: 'Read', script: 'return 1' },
      { blockName: 'Write', script: 'return 2' },
    ],
  })
  const parent = newFolder()
  const root = join(parent, 'project')
  const sources = join(parent, 'src')
  for (const path of [root, sources]) mkdirSync(path)
  writeFileSync(join(sources, 'main.js'), 'the source')
  writeFileSync(join(parent, '.env'), 'SECRET=hunter2')
  const pulled = await runCommand(['pull', id], { cwd: root, env })
  expect(pulled.code, pulled.stderr).toBe(0)
  return { root, sources, folder: join(root, name.toLowerCase()) }
}

const scriptsOnServer = async (name: string) => {
  const { body } = await service.manager.post('/api/Workflows', { page: 0, size: 10, searchTerm: name })
  const found = await service.manager.get(`/api/Workflow/${body.workflows[0].id}`)
  return JSON.stringify(found.body.chain.map(({ script }: { script: string }) => script))
}

describe('links in a project', () => {
  it('instead of the folder of scripts: nothing behind it is written or deleted', async () => {
    const { root, sources, folder } = await project('Alpha')
    rmSync(join(folder, 'blocks'), { recursive: true })
    symlinkSync('../../src', join(folder, 'blocks'))
    for (const words of [['pull', '--force'], ['push', '--force'], ['diff'], ['test']]) {
      const { code, stderr } = await runCommand(words, { cwd: root, env })
      expect([words[0], code, stderr]).toEqual([words[0], 1, expect.stringContaining('symbolic link')])
    }
    expect(readFileSync(join(sources, 'main.js'), 'utf8')).toBe('the source')
    expect(existsSync(join(sources, 'read.js'))).toBe(false)
  })

  it('instead of a script, of workflow.yaml, of the state or of a whole folder: nothing behind it is sent', async () => {
    const { root, folder } = await project('Beta')
    const places: [string, string][] = [
      [join(folder, 'blocks/read.js'), '../../../.env'],
      [join(folder, 'workflow.yaml'), '../../.env'],
      [join(folder, '.patchbay.json'), '../../.env'],
      [folder, '../src'],
    ]
    for (const [path, target] of places) {
      const kept = newFolder()
      const { code } = await runProgram('mv', [path, join(kept, 'kept')])
      expect(code).toBe(0)
      symlinkSync(target, path)
      const pushed = await runCommand(['push', '--force', folder], { cwd: root, env })
      expect([path, pushed.code, pushed.stderr]).toEqual([path, 1, expect.stringContaining('symbolic link')])
      rmSync(path)
      await runProgram('mv', [join(kept, 'kept'), path])
    }
    expect(await scriptsOnServer('Beta')).toBe('["return 1","return 2"]')
  })

  it('where a pull would put a new workflow are not followed', async () => {
    const { root, sources } = await project('Gamma')
    await service.manager.post('/api/Workflow', { name: 'Delta', chain: [{ script: 'return 1' }] })
    symlinkSync('../src', join(root, 'delta'))
    const { code, stderr } = await runCommand(['pull', 'Delta'], { cwd: root, env })
    expect([code, stderr]).toEqual([1, expect.stringContaining('symbolic link')])
    expect(existsSync(join(sources, 'workflow.yaml'))).toBe(false)
  })

  it('in a catalogue are not sent', async () => {
    const root = newFolder()
    writeFileSync(join(root, '.env'), 'SECRET=hunter2')
    mkdirSync(join(root, 'catalog'))
    symlinkSync('../.env', join(root, 'catalog/logo.svg'))
    const { code, stderr } = await runCommand(['catalog', 'check', 'catalog'], { cwd: root, env })
    expect([code, stderr]).toEqual([1, expect.stringContaining('symbolic link')])
  })

  it('the folder that is named may be one itself', async () => {
    const { root, folder } = await project('Epsilon')
    const elsewhere = newFolder()
    symlinkSync(root, join(elsewhere, 'link'))
    const { code, stderr } = await runCommand(['diff', join(elsewhere, 'link')], { cwd: folder, env })
    expect([code, stderr]).toEqual([0, ''])
  })
})

describe('a pull', () => {
  it('deletes the script of a block that is gone, and no file that this tool did not write', async () => {
    const { root, folder } = await project('Zeta')
    writeFileSync(join(folder, 'blocks/mine.js'), '// not pushed yet')
    const { body } = await service.manager.post('/api/Workflows', { page: 0, size: 10, searchTerm: 'Zeta' })
    const { id } = body.workflows[0]
    const { body: current } = await service.manager.get(`/api/Workflow/${id}`)
    const [kept, gone] = current.chain.map(({ uniqueBlockId }: { uniqueBlockId: string }) => ({ uniqueBlockId }))
    const changed = await service.manager.post(`/api/Workflow/${id}`, {
      chain: [
        { ...kept, script: 'return 3' },
        { ...gone, isDeleted: true },
      ],
    })
    expect(changed.status, changed.text).toBe(200)
    const pulled = await runCommand(['pull'], { cwd: root, env })
    expect([pulled.code, pulled.stderr]).toEqual([0, ''])
    expect(existsSync(join(folder, 'blocks/write.js'))).toBe(false)
    expect(readFileSync(join(folder, 'blocks/read.js'), 'utf8')).toBe('return 3')
    expect(readFileSync(join(folder, 'blocks/mine.js'), 'utf8')).toBe('// not pushed yet')
  })

  it('refuses a state file that names files elsewhere', async () => {
    const { root, sources, folder } = await project('Eta')
    const path = join(folder, '.patchbay.json')
    writeFileSync(path, readFileSync(path, 'utf8').replace('"read":', '"../../../src/main":'))
    const { code, stderr } = await runCommand(['pull', '--force'], { cwd: root, env })
    expect([code, stderr]).toEqual([1, expect.stringContaining('is damaged')])
    expect(readFileSync(join(sources, 'main.js'), 'utf8')).toBe('the source')
  })
})

describe('control characters from the service', () => {
  const hostile = '\u001b]0;owned\u0007\u009b2J\u202eevil\rgone'
  const spelled = '\\u001b]0;owned\\u0007\\u009b2J\\u202eevil\\u000dgone'

  it('are spelled out in logs, also in a terminal and as JSON', async () => {
    const { id } = await deployWorkflow(service.manager, [`console.log(${JSON.stringify(hostile)})`], { name: 'Noisy' })
    await runToEnd(service.manager, id)
    for (const terminal of [false, true]) {
      const { stdout } = await runCommand(['logs', 'Noisy'], { env, terminal })
      expect(stdout).toContain(spelled)
      // The colours are ours.
      expect(stdout.includes('\u001b[36m')).toBe(terminal)
    }
    const json = await runCommand(['logs', 'Noisy', '--json'], { env })
    expect(json.stdout).toContain('\\u009b2J\\u202eevil')
    expect(JSON.stringify(JSON.parse(json.stdout))).toContain(JSON.stringify(hostile).slice(1, -1))
  })

  it('are spelled out in refusals', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ code: 400, errorMessage: hostile, response: null }))
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    try {
      const said = await runCommand(['whoami'], { env: { ...env, PATCHBAY_URL: url } })
      expect([said.code, said.stderr.trim()]).toEqual([1, spelled])
    } finally {
      server.close()
    }
  })
})
