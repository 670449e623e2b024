// Who may import what, and how large a function may be. The rules are ARCHITECTURE.md's and CONTRIBUTING.md's; this is where they are kept.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type FunctionSize, functionsIn } from './harness/functions-in.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Rooms below every feature, each with the rooms it may import. They know no feature. */
const foundations: Record<string, readonly string[]> = {
  lib: [],
  engine: ['lib'],
  db: ['lib'],
  sandbox: ['lib'],
  outbound: ['lib'],
  queue: ['db', 'lib'],
  storage: ['db', 'lib'],
  files: ['db', 'lib', 'storage'],
  secrets: ['db', 'lib'],
  contents: ['db', 'files', 'lib', 'secrets'],
  access: ['db', 'lib'],
  metrics: ['db', 'lib'],
  tracing: ['lib'],
  http: ['access', 'db', 'lib', 'metrics'],
}

/** Features, left to right: each may import the foundations and the index.ts of those before it. */
const features = [
  'audit',
  'activity',
  'mail',
  'events',
  'keys',
  'sessions',
  'tags',
  'accounts',
  'catalog',
  'functions',
  'vault',
  'connections',
  'proxy',
  'document-library',
  'workflows',
  'runs',
  'replay',
  'schedules',
  'webhooks',
  'upgrades',
  'search',
  'shares',
  'statistics',
  'stream',
  'alarms',
  'mcp',
  'backup',
  'cells',
]

type Import = { from: string; to: string; specifier: string }

function sourceFiles(directory: string): string[] {
  return readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => join(directory, file))
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8')
  // `from '…'`, a bare `import '…'`, and `import('…')`: the only three ways one module names another.
  const named = text.matchAll(/\bfrom\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm)
  const all = new Set([...named].map((match) => (match[1] ?? match[2] ?? match[3]) as string))
  return [...all].map((specifier) => ({
    from: file,
    specifier,
    to: specifier.startsWith('.') ? relative(root, resolve(root, dirname(file), specifier)) : specifier,
  }))
}

const serverImports = sourceFiles('server/src').flatMap(importsOf)
const inServer = serverImports.filter(({ to }) => to.startsWith('server/src/'))
const roomOf = (path: string) => path.split('/')[2] as string
const isRoom = (path: string) => path.split('/').length > 3
const show = ({ from, to }: Import) => `${from} imports ${to}`

describe('import boundaries', () => {
  it('every folder of the server is a known room', () => {
    const rooms = readdirSync(join(root, 'server/src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name)
    expect(rooms.filter((room) => !(room in foundations) && !features.includes(room))).toEqual([])
  })

  it('foundations import only the foundations they are built on', () => {
    const wrong = inServer.filter(({ from, to }) => {
      const allowed = isRoom(from) ? foundations[roomOf(from)] : undefined
      return allowed !== undefined && roomOf(to) !== roomOf(from) && !allowed.includes(roomOf(to))
    })
    expect(wrong.map(show)).toEqual([])
  })

  it('a feature imports foundations and features to its left', () => {
    const wrong = inServer.filter(({ from, to }) => {
      if (!isRoom(from) || !features.includes(roomOf(from)) || roomOf(from) === roomOf(to)) return false
      return (
        !(roomOf(to) in foundations) &&
        !(features.indexOf(roomOf(to)) >= 0 && features.indexOf(roomOf(to)) < features.indexOf(roomOf(from)))
      )
    })
    expect(wrong.map(show)).toEqual([])
  })

  it('a room is entered through its index.ts; lib and engine are open shelves', () => {
    const wrong = inServer.filter(({ from, to }) => {
      const crosses = isRoom(to) && (!isRoom(from) || roomOf(from) !== roomOf(to))
      return crosses && roomOf(to) !== 'lib' && roomOf(to) !== 'engine' && !to.endsWith('/index.ts')
    })
    expect(wrong.map(show)).toEqual([])
  })

  it('arrows between the sub-rooms of a room go one way', () => {
    const subRoomOf = (path: string) => (path.split('/').length > 4 ? path.split('/').slice(2, 4).join('/') : undefined)
    const arrows = new Map<string, Set<string>>()
    for (const { from, to } of inServer) {
      const [a, b] = [subRoomOf(from), subRoomOf(to)]
      if (!a || !b || a === b || roomOf(from) !== roomOf(to)) continue
      arrows.set(a, (arrows.get(a) ?? new Set()).add(b))
    }
    const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
      [...(arrows.get(from) ?? [])].some(
        (next) => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))),
      )
    expect([...arrows.keys()].filter((subRoom) => reaches(subRoom, subRoom))).toEqual([])
  })

  it('no files import each other in a circle, types and imports at run time included', () => {
    const sources = ['contract/src', 'sdk/src', 'cli/src', 'server/src', 'console/src', 'bench/src'].flatMap(
      sourceFiles,
    )
    const imports = new Map(sources.map((file) => [file, importsOf(file).map(({ to }) => to)]))
    const done = new Set<string>()
    const circles: string[] = []
    const follow = (file: string, path: string[]): void => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' -> '))
      if (path.includes(file) || done.has(file)) return
      for (const next of imports.get(file) ?? []) follow(next, [...path, file])
      done.add(file)
    }
    for (const file of sources) follow(file, [])
    expect(circles).toEqual([])
  })

  it('the guest of the sandbox shares nothing with the service but the protocol', () => {
    const wrong = serverImports.filter(
      ({ from, to }) =>
        from.startsWith('server/src/sandbox/guest/') &&
        !to.startsWith('server/src/sandbox/guest/') &&
        !to.startsWith('node:') &&
        to !== 'isolated-vm' &&
        !/^server\/src\/sandbox\/protocol[^/]*\.ts$/.test(to),
    )
    expect(wrong.map(show)).toEqual([])
  })

  it('no room knows the files above the rooms: programs, configuration, composition', () => {
    const wrong = inServer.filter(({ from, to }) => isRoom(from) && !isRoom(to))
    expect(wrong.map(show)).toEqual([])
  })

  it('the environment and the arguments are read in programs only', () => {
    const readers = sourceFiles('server/src').filter((file) =>
      /process\.(env|argv)\b/.test(readFileSync(join(root, file), 'utf8')),
    )
    // The embedded server passes the search path on to the database program, and the guest is a program of its own.
    const allowed = ['server/src/run.ts', 'server/src/admin.ts', 'server/src/db/embedded.ts']
    expect(readers.filter((file) => !allowed.includes(file) && !file.startsWith('server/src/sandbox/'))).toEqual([])
  })

  it('one place knows the queue library, one opens connections for users', () => {
    const users = (name: string) =>
      serverImports.filter(({ specifier }) => specifier === name).map(({ from }) => roomOf(from))
    expect(new Set(users('pg-boss'))).toEqual(new Set(['queue']))
    expect(new Set(users('undici'))).toEqual(new Set(['outbound']))
  })

  it('the contract imports typebox only, the sdk the contract only', () => {
    const outside = (folder: string, allowed: string[]) =>
      sourceFiles(`${folder}/src`)
        .flatMap(importsOf)
        .filter(({ to }) => !to.startsWith(`${folder}/src/`) && !allowed.includes(to))
    expect(outside('contract', ['typebox']).map(show)).toEqual([])
    expect(
      outside('sdk', ['@patchbay/contract', '@patchbay/contract/list-size', '@patchbay/contract/operation']).map(show),
    ).toEqual([])
  })

  it('the command line reaches the service through the sdk only, and starts its programs by their files', () => {
    const ours = sourceFiles('cli/src')
      .flatMap(importsOf)
      .filter(({ to }) => /^(@patchbay\/|server|contract|sdk|mcp|console)/.test(to))
      .filter(({ to }) => !/^@patchbay\/(sdk|mcp)/.test(to))
    expect(ours.map(show)).toEqual([])
  })

  it('the tools for assistants reach the service through the sdk only', () => {
    const ours = sourceFiles('mcp/src')
      .flatMap(importsOf)
      .filter(({ to }) => /^(@patchbay\/|server|contract|sdk|cli|console)/.test(to) && to !== '@patchbay/sdk')
    expect(ours.map(show)).toEqual([])
  })

  it('the console reaches the service through the sdk only, and its ui knows no other room', () => {
    const imports = sourceFiles('console/src').flatMap(importsOf)
    const ours = imports.filter(({ to }) => /^(@patchbay\/|server|contract|sdk|cli)/.test(to) && to !== '@patchbay/sdk')
    expect(ours.map(show)).toEqual([])
    const fromUi = imports.filter(
      ({ from, to }) =>
        from.startsWith('console/src/ui/') && to.startsWith('console/') && !to.startsWith('console/src/ui/'),
    )
    expect(fromUi.map(show)).toEqual([])
  })

  it('there are no drawers', () => {
    const drawers = ['server/src', 'contract/src', 'sdk/src', 'mcp/src', 'cli/src', 'console/src']
      .flatMap(sourceFiles)
      .filter((file) => /(^|\/)(utils?|helpers?|common|shared|manager|types|constants)(\.tsx?$|\/)/.test(file))
    expect(drawers).toEqual([])
  })
})

describe('functions', () => {
  const folders = [
    'bench/src',
    'build',
    'cli/src',
    'console/build',
    'console/src',
    'contract/src',
    'demo',
    'e2e',
    'mcp/src',
  ]
  const functions = [...folders, 'sdk/src', 'server/src']
    .flatMap(sourceFiles)
    .filter((file) => !/\.test\.ts$|\/(test|node_modules|dist)\//.test(file))
    .flatMap((file) => functionsIn(file, readFileSync(join(root, file), 'utf8')).map((size) => ({ file, ...size })))
  const where = ({ file, line }: FunctionSize & { file: string }) => `${file}:${line}`

  it('fit on a screen: none has more than 80 lines', () => {
    expect(functions.filter(({ lines }) => lines > 80).map(where)).toEqual([])
  })

  it('take at most four parameters: more become one object', () => {
    expect(functions.filter(({ parameters }) => parameters > 4).map(where)).toEqual([])
  })
})
