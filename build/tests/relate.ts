// Which tests would notice a change, nearest first: by import, by the operations that they call, by the pages that they open, and by their names.
import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listOperations, operationsCalledIn } from './operations-reached.ts'
import { listTests, type Project, projectOf } from './projects.ts'
import { isHub, SourceGraph } from './source-graph.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

export type Related = { test: string; project: Project; score: number }

/** Tests that are much less related than the nearest one are not worth their time here; `npm test` runs them. */
const shareMin = 0.12
const countMax = 16
/** Beyond this many imports a file is used by nearly everything. */
const distanceMax = 6

const ownTests: Record<string, RegExp> = {
  cli: /^(cli|mcp)\//,
  console: /^(console|e2e)\/|^server\/test\/console\./,
  mcp: /^mcp\//,
  sdk: /^(sdk|cli)\//,
}

export class Relations {
  readonly #graph = new SourceGraph()
  readonly #operations = listOperations(this.#graph)
  readonly #tests = listTests()
  readonly #calls = new Map(
    this.#tests.map((test) => [test, operationsCalledIn(this.#graph.textOf(test), this.#operations)]),
  )
  readonly #pages = listPages(this.#graph)

  /** For the files that were changed, named from the root. */
  relatedTo(changed: readonly string[]): Related[] {
    const best = new Map<string, number>()
    for (const file of changed) {
      const scores = this.#relatedToOne(file)
      for (const [test, score] of scores) best.set(test, Math.max(score, best.get(test) ?? 0))
    }
    return [...best]
      .map(([test, score]) => ({ test, score, project: projectOf(test) }))
      .toSorted((a, b) => b.score - a.score)
  }

  #relatedToOne(file: string): Map<string, number> {
    if (this.#tests.includes(file)) return new Map([[file, 2]])
    if (isHub(file)) return new Map(this.#broadest().map((test) => [test, 1]))
    const scores = new Map<string, number>()
    const add = (test: string, score: number) => scores.set(test, (scores.get(test) ?? 0) + score)
    const starts = file.endsWith('.sql') ? this.#filesUsingTablesOf(file) : [file]
    const distances = this.#graph.distancesTo(starts)
    const weightOf = (one: string) => {
      const distance = distances.get(one)
      return distance === undefined || distance > distanceMax ? 0 : 1 / (1 + distance) ** 2
    }
    for (const test of this.#tests) add(test, weightOf(test))
    this.#addByOperation(weightOf, add)
    this.#addByPage(weightOf, add)
    for (const test of this.#tests) add(test, this.#scoreByName(file, test))
    const top = Math.max(...scores.values())
    if (top === 0) return new Map(this.#broadest().map((test) => [test, 1]))
    const near = [...scores].filter(([, score]) => score >= top * shareMin).toSorted((a, b) => b[1] - a[1])
    return new Map(near.slice(0, countMax))
  }

  /** An operation that few tests call says more about each of them. */
  #addByOperation(weightOf: (file: string) => number, add: (test: string, score: number) => void): void {
    for (const { name, files } of this.#operations) {
      const weight = Math.max(...files.map(weightOf))
      const callers = weight === 0 ? [] : this.#tests.filter((test) => this.#calls.get(test)?.has(name))
      for (const test of callers) add(test, weight / callers.length)
    }
  }

  #addByPage(weightOf: (file: string) => number, add: (test: string, score: number) => void): void {
    for (const { path, file } of this.#pages) {
      const weight = weightOf(file)
      const visitors =
        weight === 0 ? [] : this.#tests.filter((test) => test.startsWith('e2e/') && path.test(this.#graph.textOf(test)))
      for (const test of visitors) add(test, weight / visitors.length)
    }
  }

  /** `server/src/webhooks/intake/…` and `webhook-intake.test.ts`: whoever named them meant the same. Data is found by tests that name its folder. */
  #scoreByName(file: string, test: string): number {
    const side = file.split('/')[0] as string
    // The console has words of the server in its names, and tests of its own.
    if (ownTests[side] && !ownTests[side].test(test)) return 0
    const wanted = wordsOf(file)
    const own = [...wordsOf(basename(test))]
    const shared = own.filter((word) => wanted.has(word)).length
    const isData = !/\.tsx?$/.test(file)
    const folder = file.split('/').slice(0, 2).join('/')
    // Not the folders of sources and tests that are called the same.
    const named = (path: string) => new RegExp(`(?<!src/|test/|[^.]\\./)\\b${RegExp.escape(path)}/`)
    const isNamed = isData && [folder, side].some((path) => named(path).test(this.#graph.textOf(test)))
    const isInFolder = wordsOf(dirname(test).split('/').at(-1) as string).isSubsetOf(wanted)
    return (0.3 * shared) / Math.max(1, own.length) + (isNamed ? 0.5 : 0) + (isInFolder ? 0.1 : 0)
  }

  /** The stores that name a table which a migration changes. The schema itself has its test. */
  #filesUsingTablesOf(file: string): string[] {
    const text = readFileSync(join(root, file), 'utf8')
    const tables = new Set(
      [...text.matchAll(/\b(?:table|on|update|into)\s+(?:if (?:not )?exists\s+)?(\w{4,})/g)].map(
        ([, table = '']) => table,
      ),
    )
    const expressions = [...tables].map((table) => new RegExp(`\\b${table}\\b`))
    const users = this.#graph.files.filter(
      (one) =>
        /^server\/src\/.*store.*\.ts$/.test(one) && expressions.some((table) => table.test(this.#graph.textOf(one))),
    )
    return ['server/src/db/schema.sql', 'server/test/schema.test.ts', ...users]
  }

  /** For what everything depends on, any test of the whole service will do: those that call the most operations. */
  #broadest(): string[] {
    const count = (test: string) => this.#calls.get(test)?.size ?? 0
    return this.#tests
      .filter((test) => projectOf(test) === 'api')
      .toSorted((a, b) => count(b) - count(a))
      .slice(0, 3)
  }
}

function wordsOf(path: string): Set<string> {
  const words = path.replace(/(\.test)?\.\w+$/, '').split(/[^a-z0-9]+/i)
  return new Set(words.map((word) => word.toLowerCase().replace(/s$/, '')).filter((word) => word.length > 2))
}

/** The addresses of the console with the file of each page. */
function listPages(graph: SourceGraph): { path: RegExp; file: string }[] {
  const text = graph.textOf('console/src/router.tsx')
  return [...text.matchAll(/path: '([^']*)',[\s\S]*?import\('\.\/([^']+)'\)/g)].map(([, path = '', file = '']) => ({
    path: new RegExp(`['"\`]${path.replaceAll(/\$\w+/g, '[^/]+')}(?:[?'"\`]|$)`, 'm'),
    file: `console/src/${file}`,
  }))
}
