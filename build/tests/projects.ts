// Which project a test file belongs to. The project says what is set up before its tests, and what they share.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export type Project = 'unit' | 'api' | 'browser' | 'proof' | 'proof-alone'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** These compare times, so nothing else runs meanwhile. */
const measuring = /^server\/test\/security\/(attacks|event-loop|large-bodies)\./
/** These kill processes, fill memory, or install and start programs. */
const proving = /^(server\/test\/(process|race|sandbox|security)\/|build\/[^/]+$)/
/** These read the whole repository or the whole catalogue. */
const broad =
  /^server\/test\/(architecture|catalog\/(functions|openapi-in-the-wild|shipped-definitions|shipped-templates))\./
/** A test that reaches one of these needs the database, or starts programs. */
const services = new Set(
  ['service', 'program', 'own-database', 'global-setup'].map((name) => `server/test/harness/${name}.ts`),
)

export function listTests(): string[] {
  return globSync(
    [
      '{cli,mcp,sdk,console}/test/**/*.test.{ts,tsx}',
      'build/*.test.ts',
      'build/tests/*.test.ts',
      'server/test/**/*.test.ts',
      'e2e/**/*.test.ts',
    ],
    {
      cwd: root,
      exclude: ['**/node_modules'],
    },
  ).toSorted()
}

export function projectOf(test: string): Project {
  if (measuring.test(test)) return 'proof-alone'
  if (proving.test(test)) return 'proof'
  if (test.startsWith('e2e/')) return 'browser'
  return broad.test(test) || reachesService(test, new Set()) ? 'api' : 'unit'
}

/** Through the files of tests only: what the sources import does not matter here. */
function reachesService(file: string, seen: Set<string>): boolean {
  if (services.has(file)) return true
  if (seen.has(file) || !/\/test\/|\.test\./.test(file)) return false
  seen.add(file)
  return namesIn(file).some((name) => outside.test(name) || reachesService(name, seen))
}

/** Processes and sockets: a unit needs neither. */
const outside = /^node:(child_process|dgram|http|http2|https|net|tls)$/
const names = new Map<string, string[]>()

/** The files that a file imports, found faster than by parsing it: this is done whenever a test starts. */
function namesIn(file: string): string[] {
  const known = names.get(file)
  if (known) return known
  // A test of imports has some in its texts that lead nowhere.
  const text = existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : ''
  const found = [...text.matchAll(/(?:from|import)[ (]'(\.[^']+\.tsx?|node:\w+)'/g)].map(([, name = '']) =>
    name.startsWith('node:') ? name : relative(root, resolve(root, dirname(file), name)),
  )
  names.set(file, found)
  return found
}
