import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { SandboxPool } from '../../src/sandbox/pool/pool.ts'
import { describeMissing, judgeEnforcement } from '../../src/sandbox/walls/enforcement.ts'
import { composeCommand, isRoot, type Launch, listLaunches } from '../../src/sandbox/walls/launch.ts'
import { listVersionFaults, readVersions } from '../../src/sandbox/walls/requirements.ts'

const hasFilter = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch) && existsSync('/usr/bin/perl')

const strictServicePath = fileURLToPath(new URL('./strict-service.ts', import.meta.url))
const probePath = fileURLToPath(new URL('./probe.ts', import.meta.url))

/** Each wall is tried by itself: behind the filter of system calls the others would not be noticed when they are missing. */
function removeFilter(args: string[]): void {
  const perl = args.findIndex((arg) => arg.endsWith('/perl'))
  if (perl !== -1) args.splice(perl, 4)
}

/** Starts the probe as a script process would be started; undefined when the platform refuses that. */
async function probe(
  launch: Launch,
  { isFiltered }: { isFiltered: boolean },
): Promise<Record<string, unknown> | undefined> {
  const directory = await mkdtemp(join(tmpdir(), 'patchbay-walls-'))
  const empty = await mkdtemp(join(tmpdir(), 'patchbay-empty-'))
  const hidden = await mkdtemp(join(tmpdir(), 'patchbay-hidden-'))
  const secretFile = join(directory, 'secret')
  const hiddenFile = join(hidden, 'file')
  // As a master key may lie among files that need not be hidden.
  const keyFile = join(directory, 'master.key')
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
    await writeFile(keyFile, 'key', { mode: 0o644 })
    canary.listen(0)
    await once(canary, 'listening')
    const { port } = canary.address() as { port: number }

    const { file, args } = composeCommand({
      ...launch,
      hiddenPaths: [hidden, join(hidden, 'file'), keyFile, join(hidden, 'none')],
    })
    if (!isFiltered) removeFilter(args)
    const guest = args.findIndex((arg) => /guest\/main\.[jt]s$/.test(arg))
    const drop = args.find((arg) => arg.startsWith('--drop='))?.slice('--drop='.length) ?? ''
    // Native code is not bound by the permission model of Node.js.
    const kept = args.slice(0, guest).filter((arg) => !arg.startsWith('--permission') && !arg.startsWith('--allow-'))
    const given = [String(port), secretFile, hiddenFile, keyFile, String(process.pid), drop]
    const child = spawn(file, [...kept, probePath, ...given], {
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
  const launches = listLaunches([]).map((launch) => ({
    ...launch,
    name: launch.hidesProcesses ? `${launch.isolation} with processes of its own` : launch.isolation,
  }))
  it.each(launches)('finds nothing behind the walls of $name', async (launch) => {
    const { isolation, hidesProcesses } = launch
    const found = await probe(launch, { isFiltered: false })
    if (!found) {
      // The platform does not have this; the pool then uses the next one and says what is missing.
      expect(isolation).not.toBe('plain')
      return
    }
    expect(found['environmentNames']).toEqual([])
    expect(['', 'refused: EACCES']).toContain(found['environment'])
    expect([[], 'refused: EACCES']).toContainEqual(found['directory'])
    expect(found['writtenFile']).toMatch(/^refused/)
    if (isolation !== 'plain') {
      expect(found['interfaces']).toEqual([])
      expect([found['loopback'], found['loopback6'], found['connections']]).toEqual([
        expect.stringMatching(/^refused/),
        expect.stringMatching(/^refused/),
        0,
      ])
      expect(found['hiddenFile']).toMatch(/^refused/)
      expect(['', 'refused: EACCES']).toContain(found['keyFile'])
      expect(found['mount']).not.toBe(0)
      expect(found['serviceEnvironment']).toMatch(/^refused/)
      expect(found['serviceMemory']).toMatch(/^refused/)
    }
    if (hidesProcesses) {
      expect(found['serviceSignal']).toBe('refused: ESRCH')
      // The shell that is the first of them, and the process itself.
      expect((found['processes'] as string[]).length).toBeLessThanOrEqual(2)
    }
    if (isRoot() && isolation !== 'userNamespace') {
      expect(found['secretFile']).toBe('refused: EACCES')
      expect(found['becomeRoot']).toBe('refused: EPERM')
      expect(found['serviceSignal']).toMatch(/^refused: (EPERM|ESRCH)$/)
    }
  })

  it.runIf(hasFilter)('can open no socket and start no process behind the filter of system calls alone', async () => {
    const found =
      (await probe({ isolation: 'plain', hidesProcesses: false, hiddenPaths: [] }, { isFiltered: true })) ?? {}
    expect([found['loopback'], found['loopback6'], found['connections']]).toEqual([
      'refused: EPERM',
      'refused: EPERM',
      0,
    ])
    expect(found['interfaces']).toMatch(/^refused/)
    expect(found['startedProcess']).toBe('refused: EPERM')
  })
})

describe.runIf(process.platform === 'linux')('descriptors that the service was started with', () => {
  it('are closed in script processes', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'patchbay-descriptors-'))
    await using cleanUp = new AsyncDisposableStack()
    cleanUp.defer(() => rm(directory, { recursive: true, force: true }))
    await writeFile(join(directory, 'left'), 'secret')
    await using left = await open(join(directory, 'left'))
    const service = spawn(process.execPath, [fileURLToPath(new URL('./lists-descriptors.ts', import.meta.url))], {
      stdio: [
        'ignore',
        'pipe',
        'inherit',
        'ignore',
        'ignore',
        'ignore',
        left.fd,
        'ignore',
        'ignore',
        'ignore',
        'ignore',
        left.fd,
      ],
    })
    const [text] = (await once(service.stdout as Readable, 'data')) as [Buffer]
    const { own, guest, missing } = JSON.parse(text.toString()) as { own: string[]; guest: string[]; missing: string[] }
    expect(own.filter((target) => target.endsWith('/left'))).toHaveLength(2)
    expect(guest.length).toBeGreaterThan(0)
    expect(guest.filter((target) => target.endsWith('/left'))).toEqual([])
    expect(missing.filter((sentence) => sentence.includes('descriptors'))).toEqual([])
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
      networkNamespace: '',
      processNamespace: '',
      refusesSockets: false,
      foreignDescriptors: -1,
      processLimits: '',
    }
    const enforcement = judgeEnforcement({ isolation: 'plain' }, report)
    expect(enforcement).toMatchObject({
      noNetwork: false,
      ownUser: false,
      hiddenPaths: false,
      ownProcesses: false,
      systemCallFilter: false,
      noForeignDescriptors: false,
      emptyEnvironment: false,
      dataLimit: false,
      noFileWrites: false,
    })
    const sentences = describeMissing(enforcement)
    expect(sentences.length).toBeGreaterThanOrEqual(12)
    for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z].*\.$/)
  })
})

describe('a strict sandbox', () => {
  it('starts when every wall is there, and else refuses with the sentence of each that is not', async () => {
    await using usual = await SandboxPool.create({ size: 1 })
    const strict = SandboxPool.create({ size: 1, isStrict: true })
    if (usual.missing.length === 0) {
      await using pool = await strict
      expect(pool.missing).toEqual([])
    } else await expect(strict).rejects.toThrow(`PATCHBAY_SANDBOX=strict: ${usual.missing.join(' ')}`)
  })

  it.runIf(isRoot() && existsSync('/usr/bin/setpriv'))('names the wall that is missing', async () => {
    // Without this right root can make no namespaces, and in a user namespace scripts cannot become another user.
    const service = spawn(
      '/usr/bin/setpriv',
      ['--bounding-set=-sys_admin', '--inh-caps=-sys_admin', process.execPath, strictServicePath],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    let text = ''
    service.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    await once(service, 'close')
    expect(text).toMatch(/^MissingWallError: Scripts do not run here with PATCHBAY_SANDBOX=strict: /)
    expect(text).toMatch(
      /Script processes run as the same user as the service\.|Script processes could read directories/,
    )
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
