// Who may import what, and how large a function may be. The rules are ARCHITECTURE.md's and CONTRIBUTING.md's; this is where they are kept.
import { describe, expect, it } from 'vitest'
import { circlesAmong } from './harness/circles.ts'
import { type FunctionSize, functionsIn } from './harness/functions-in.ts'
import { computed, importsIn } from './harness/imports-in.ts'
import { foldersIn, type Import, importsOf, sourceFiles, textOf } from './harness/source-files.ts'

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
  'bulk',
  'search',
  'shares',
  'statistics',
  'stream',
  'alarms',
  'mcp',
  'backup',
  'cells',
  'clock',
]

/** Rooms of the console, left to right: each may import those before it. */
const consoleRooms = [
  'ui',
  'session',
  'shell',
  'applications',
  'definition',
  'accounts',
  'alarms',
  'audit',
  'keys',
  'vault',
  'mail',
  'shares',
  'usage',
  'docs',
  'schedules',
  'runs',
  'replay',
  'webhooks',
  'connections',
  'catalogue',
  'workflows',
  'templates',
  'upgrades',
  'search',
  'home',
]

const packages = ['bench', 'build', 'cli', 'console', 'contract', 'demo', 'e2e', 'mcp', 'sdk', 'server']
const isTest = (file: string) => /\.test\.ts$|\/test\//.test(file)

const serverImports = sourceFiles('server/src').flatMap(importsOf)
const inServer = serverImports.filter(({ to }) => to.startsWith('server/src/'))
const roomOf = (path: string) => path.split('/')[2] as string
const isRoom = (path: string) => path.split('/').length > 3
const show = ({ from, to }: Import) => `${from} imports ${to}`

describe('import boundaries', () => {
  it('every folder of the server is a known room', () => {
    expect(foldersIn('server/src').filter((room) => !(room in foundations) && !features.includes(room))).toEqual([])
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

  it('the sub-rooms are those that ARCHITECTURE.md describes', () => {
    const described = [...textOf('ARCHITECTURE.md').matchAll(/^\| `([a-z-]+)\/` \| (`.+) \|$/gm)].flatMap(
      ([, room, names = '']) => [...names.matchAll(/`([a-z-]+)`/g)].map(([, name]) => `${room}/${name}`),
    )
    const found = foldersIn('server/src').flatMap((room) =>
      foldersIn(`server/src/${room}`).map((subRoom) => `${room}/${subRoom}`),
    )
    expect(found.toSorted()).toEqual(described.toSorted())
  })

  it('no arrows go in a circle: between packages, rooms, the sub-rooms and files of a room, or files', () => {
    const withoutTests = packages.flatMap(sourceFiles).filter((file) => !isTest(file))
    // The tests of every package start the service that the server's tests have, so they are looked at in their own package only.
    expect([withoutTests, ...packages.map(sourceFiles)].flatMap(circlesAmong)).toEqual([])
  })

  it('nothing escapes that test: every way to name a module is seen, and no module is named by a computed path', () => {
    const text = `
      import a from "./a.ts"
      import type { B } from './b.ts'
      import './c.ts'
      export * from './d.ts'
      export type { E } from './e.ts'
      const f = await import(
        './f.ts'
      )
      import(\`./g.ts\`)
      import('./h.ts', { with: { type: 'json' } })
      type I = import('./i.ts').I
      new Worker(new URL('./j.ts', import.meta.url))
      fork(new URL("k.ts", import.meta.url))
      import.meta.resolve('./l.ts')
      new URL(\`./m/\${name}.ts\`, import.meta.url)
      const notOne = "import './z.ts'" // from './z.ts'`
    const seen = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm/*'].map((name) => `./${name}.ts`)
    expect(importsIn('sample.ts', text)).toEqual(seen)
    const unknown = packages.flatMap(sourceFiles).flatMap(importsOf)
    // The package with the database program has the platform in its name, the bundle of the service has a hash.
    const named = ['server/src/db/embedded.ts', 'server/src/main.ts']
    const escaped = unknown.filter(({ specifier, from }) => specifier === computed && !named.includes(from))
    expect(escaped.map(show)).toEqual([])
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
    const readers = sourceFiles('server/src').filter((file) => /process\.(env|argv)\b/.test(textOf(file)))
    // The embedded server passes the search path on to the database program, and the guest is a program of its own.
    const allowed = ['server/src/run.ts', 'server/src/admin.ts', 'server/src/db/embedded.ts']
    expect(readers.filter((file) => !allowed.includes(file) && !file.startsWith('server/src/sandbox/'))).toEqual([])
  })

  it('one room knows the table of jobs, apart from metrics that count and moves that copy them; one opens connections for users', () => {
    const inJobs = sourceFiles('server/src').filter((file) =>
      /\b(from|into|update|join|table) (patchbay\.)?jobs\b/.test(textOf(file)),
    )
    expect(new Set(inJobs.map(roomOf))).toEqual(new Set(['queue', 'cells', 'metrics']))
    const callers = serverImports.filter(({ specifier }) => specifier === 'undici').map(({ from }) => roomOf(from))
    expect(new Set(callers)).toEqual(new Set(['outbound']))
  })

  it('one room knows the codes of the database: others ask for a fault by its name', () => {
    const known = sourceFiles('server/src').filter((file) =>
      // A whole SQLSTATE, our own included, or the beginning of one.
      /'([0-9][0-9A-Z]{4}|PB[A-Z]{3})'|startsWith\('[0-9][0-9A-Z]{1,2}'\)|\/\^\(?[0-9][0-9A-Z]{1,2}[|)]/.test(
        textOf(file),
      ),
    )
    expect(known.filter((file) => roomOf(file) !== 'db')).toEqual([])
  })

  it('the contract imports typebox only, the sdk the contract only', () => {
    const outside = (folder: string, allowed: string[]) =>
      sourceFiles(`${folder}/src`)
        .flatMap(importsOf)
        .filter(({ to }) => !to.startsWith(`${folder}/src/`) && !allowed.includes(to))
    expect(outside('contract', ['typebox']).map(show)).toEqual([])
    expect(
      outside('sdk', ['@patchbay/contract', '@patchbay/contract/client-values', '@patchbay/contract/operation']).map(
        show,
      ),
    ).toEqual([])
  })

  it('the command line reaches the service through the sdk only, and starts its programs by their files', () => {
    const ours = sourceFiles('cli/src')
      .flatMap(importsOf)
      .filter(({ to }) => /^(@patchbay\/|server|contract|sdk|mcp|console)/.test(to))
      .filter(({ to }) => !/^@patchbay\/(sdk|mcp)/.test(to))
      .filter(({ from, to }) => from !== 'cli/src/commands/start.ts' || to !== `server/src/${computed}.${computed}`)
    expect(ours.map(show)).toEqual([])
  })

  it('the tools for assistants reach the service through the sdk only', () => {
    const ours = sourceFiles('mcp/src')
      .flatMap(importsOf)
      .filter(({ to }) => /^(@patchbay\/|server|contract|sdk|cli|console)/.test(to) && to !== '@patchbay/sdk')
    expect(ours.map(show)).toEqual([])
  })

  it('the console reaches the service through the sdk only', () => {
    const ours = sourceFiles('console/src')
      .flatMap(importsOf)
      .filter(({ to }) => /^(@patchbay\/|server|contract|sdk|cli)/.test(to) && to !== '@patchbay/sdk')
    expect(ours.map(show)).toEqual([])
  })

  it('a room of the console imports those to its left, and of what lies above the rooms the doors to the service only', () => {
    expect(foldersIn('console/src').toSorted()).toEqual(consoleRooms.toSorted())
    const placeOf = (path: string) => consoleRooms.indexOf(roomOf(path))
    // They are made of the first two rooms.
    const isDoor = (path: string) => ['console/src/api.ts', 'console/src/queries.ts'].includes(path)
    const mayImport = ({ from, to }: Import) =>
      isRoom(to) ? placeOf(to) <= placeOf(from) : isDoor(to) && placeOf(from) > consoleRooms.indexOf('session')
    const wrong = sourceFiles('console/src')
      .flatMap(importsOf)
      .filter((found) => isRoom(found.from) && found.to.startsWith('console/src/') && !mayImport(found))
    expect(wrong.map(show)).toEqual([])
  })

  it('there are no drawers', () => {
    const drawers = ['server/src', 'contract/src', 'sdk/src', 'mcp/src', 'cli/src', 'console/src']
      .flatMap(sourceFiles)
      .filter((file) => /(^|\/)(utils?|helpers?|common|shared|manager|types|constants)(\.tsx?$|\/)/.test(file))
    expect(drawers).toEqual([])
  })
})

describe('functions', () => {
  const functions = packages
    .flatMap(sourceFiles)
    .filter((file) => !isTest(file))
    .flatMap((file) => functionsIn(file, textOf(file)).map((size) => ({ file, ...size })))
  const where = ({ file, line }: FunctionSize & { file: string }) => `${file}:${line}`

  it('fit on a screen: none has more than 80 lines', () => {
    expect(functions.filter(({ lines }) => lines > 80).map(where)).toEqual([])
  })

  it('take at most four parameters: more become one object', () => {
    expect(functions.filter(({ parameters }) => parameters > 4).map(where)).toEqual([])
  })
})
