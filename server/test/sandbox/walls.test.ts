import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { describeMissing, judgeEnforcement } from '../../src/sandbox/enforcement.ts'
import { composeCommand, type Isolation, isRoot, listIsolations } from '../../src/sandbox/launch.ts'
import { SandboxPool } from '../../src/sandbox/pool.ts'
import { listVersionFaults, readVersions } from '../../src/sandbox/requirements.ts'

const probePath = fileURLToPath(new URL('./probe.ts', import.meta.url))

/** Starts the probe as a script process would be started in this isolation; undefined when the platform refuses it. */
async function probe(isolation: Isolation): Promise<Record<string, unknown> | undefined> {
  const directory = await mkdtemp(join(tmpdir(), 'patchbay-walls-'))
  const empty = await mkdtemp(join(tmpdir(), 'patchbay-empty-'))
  const hidden = await mkdtemp(join(tmpdir(), 'patchbay-hidden-'))
  const secretFile = join(directory, 'secret')
  const hiddenFile = join(hidden, 'file')
  let connections = 0
  const canary = createServer((socket) => {
    connections++
    socket.destroy()
  })
  try {
    await chmod(directory, 0o755)
    await writeFile(secretFile, 'secret', { mode: 0o600 })
    await chmod(hidden, 0o755)
    await writeFile(hiddenFile, 'hidden', { mode: 0o644 })
    canary.listen(0)
    await once(canary, 'listening')
    const { port } = canary.address() as { port: number }

    const { file, args } = composeCommand({ isolation, hiddenPaths: [hidden] })
    const guest = args.findIndex((arg) => arg.endsWith('guest/main.ts'))
    const drop = args.find((arg) => arg.startsWith('--drop='))?.slice('--drop='.length) ?? ''
    // Native code is not bound by the permission model of Node.js.
    const kept = args.slice(0, guest).filter((arg) => !arg.startsWith('--permission') && !arg.startsWith('--allow-'))
    const child = spawn(file, [...kept, probePath, String(port), secretFile, hiddenFile, String(process.pid), drop], {
      cwd: empty,
      env: {},
      stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
    })
    let text = ''
    child.stdio[3]?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    child.stderr?.resume()
    await once(child, 'close')
    return text === '' ? undefined : { ...JSON.parse(text), connections }
  } finally {
    canary.close()
    for (const path of [directory, empty, hidden]) await rm(path, { recursive: true, force: true })
  }
}

describe('a script process that was taken over', () => {
  it.each(listIsolations())('finds nothing behind the walls of %s', async (isolation) => {
    const found = await probe(isolation)
    if (!found) {
      // The platform does not have this isolation; the pool then uses the next one and says what is missing.
      expect(isolation).not.toBe('plain')
      return
    }
    expect(found['environmentNames']).toEqual([])
    expect(['', 'refused: EACCES']).toContain(found['environment'])
    expect([[], 'refused: EACCES']).toContainEqual(found['directory'])
    expect(found['writtenFile']).toMatch(/^refused/)
    if (process.platform === 'linux') {
      const others = (found['descriptors'] as string[]).filter(
        (text) => !/^\d+ (socket:|pipe:|\/dev\/null|anon_inode:|\/proc\/)/.test(text),
      )
      expect(others).toEqual([])
      expect((found['descriptors'] as string[]).filter((text) => /^\d+ socket:/.test(text)).length).toBeLessThanOrEqual(
        3,
      )
    }
    if (isolation !== 'plain') {
      expect(found['interfaces']).toEqual([])
      expect([found['loopback'], found['loopback6'], found['connections']]).toEqual([
        expect.stringMatching(/^refused/),
        expect.stringMatching(/^refused/),
        0,
      ])
      expect(found['hiddenFile']).toMatch(/^refused/)
      expect(found['mount']).not.toBe(0)
      expect(found['serviceEnvironment']).toMatch(/^refused/)
      expect(found['serviceMemory']).toMatch(/^refused/)
    }
    if (isRoot() && isolation !== 'userNamespace') {
      expect(found['secretFile']).toBe('refused: EACCES')
      expect(found['becomeRoot']).toBe('refused: EPERM')
      expect(found['serviceSignal']).toBe('refused: EPERM')
    }
  })
})

describe('what could not be enforced', () => {
  it('is found out by a real process and said in sentences', async () => {
    await using pool = await SandboxPool.create({ size: 1 })
    expect(pool.enforcement.emptyEnvironment).toBe(true)
    expect(pool.missing).toHaveLength(Object.values(pool.enforcement).filter((holds) => !holds).length)
  })

  it('every missing wall has its sentence', () => {
    const report = {
      uid: process.getuid?.() ?? 0,
      environmentNames: ['HOME'],
      networkInterfaces: ['eth0'],
      processLimits: '',
    }
    const enforcement = judgeEnforcement('plain', report)
    expect(enforcement).toMatchObject({
      noNetwork: false,
      ownUser: false,
      hiddenPaths: false,
      emptyEnvironment: false,
      dataLimit: false,
      noFileWrites: false,
    })
    const sentences = describeMissing(enforcement)
    expect(sentences.length).toBeGreaterThanOrEqual(9)
    for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z].*\.$/)
  })
})

describe('versions', () => {
  it('accept what is installed', () => {
    expect(listVersionFaults(readVersions())).toEqual([])
  })

  it.each([
    [{ isolatedVm: '7.0.0' }],
    [{ isolatedVm: '6.2.0' }],
    [{ isolatedVm: '7.0.1-beta.1' }],
    [{ isolatedVm: 'unknown' }],
    [{ node: '25.1.0' }],
    [{ v8: '12.4.254.21-node.33' }],
    [{ v8: '13.5.1-node.1' }],
  ])('refuse %j', (part) => {
    expect(
      listVersionFaults({ node: '24.21.0', v8: '13.6.233.17-node.53', isolatedVm: '7.0.1', ...part }),
    ).toHaveLength(1)
  })

  it.each([[{ isolatedVm: '7.0.10' }], [{ isolatedVm: '8.0.0' }], [{ v8: '14.0.1-node.1', node: '26.0.0' }]])(
    'accept %j',
    (part) => {
      expect(listVersionFaults({ node: '24.21.0', v8: '13.6.233.17-node.53', isolatedVm: '7.0.1', ...part })).toEqual(
        [],
      )
    },
  )
})
