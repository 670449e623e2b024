// Which source file uses which, by name: an import through the index.ts of a room leads to the file that the name comes from. Found without
// parsing, because somebody waits for it.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Files that know everyone: whatever is behind them says nothing about those who import them. */
const hubs =
  /^(contract\/src\/index|server\/src\/(app|services|worker|api|run|main|admin|infrastructure|scripting|run-services|context)|server\/test\/harness\/(service|joined-service|program|seed-everything)|console\/src\/router|sdk\/src\/(methods|routes))\.tsx?$/

export const isHub = (file: string): boolean => hubs.test(file)

type Statement = { names: string[]; from: string }

const statement = /^(?:import|export)\s+(?:type\s+)?([^'";]*?)\s*from\s+'([^']+)'/gm
const atRunTime = /(?:import\(|new URL\()'([^']+)'/g

export class SourceGraph {
  readonly files: readonly string[]
  readonly #texts = new Map<string, string>()
  readonly #statements = new Map<string, Statement[]>()
  #users: Map<string, string[]> | undefined

  constructor() {
    const folders = '{contract,sdk,mcp,cli,server,console,e2e,build,demo}'
    this.files = globSync(`${folders}/**/*.{ts,tsx}`, {
      cwd: root,
      exclude: (path) => /(^|\/)(node_modules|dist)(\/|$)/.test(path),
    }).toSorted()
  }

  textOf(file: string): string {
    let text = this.#texts.get(file)
    if (text === undefined) {
      text = existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : ''
      this.#texts.set(file, text)
    }
    return text
  }

  /** The file that each imported name comes from. */
  namesIn(file: string): Map<string, string> {
    const found = new Map<string, string>()
    for (const { names, from } of this.#statementsOf(file))
      for (const name of names) found.set(name.split(' as ').at(-1) as string, this.#originOf(from, name))
    return found
  }

  /** How many imports lie between each file and the nearest of those given; 0 for these themselves. */
  distancesTo(files: readonly string[]): Map<string, number> {
    this.#users ??= this.#findUsers()
    const distances = new Map(files.map((file) => [file, 0]))
    const queue = [...files]
    for (const file of queue) {
      if (isHub(file) && !files.includes(file)) continue
      for (const user of this.#users.get(file) ?? []) {
        if (distances.has(user)) continue
        distances.set(user, (distances.get(file) as number) + 1)
        queue.push(user)
      }
    }
    return distances
  }

  #findUsers(): Map<string, string[]> {
    const users = new Map<string, string[]>()
    for (const file of this.files) {
      const used = new Set(this.namesIn(file).values())
      for (const target of used) users.set(target, [...(users.get(target) ?? []), file])
    }
    return users
  }

  #statementsOf(file: string): Statement[] {
    const known = this.#statements.get(file)
    if (known) return known
    const text = this.textOf(file)
    const named = [...text.matchAll(statement)].map(([, names = '', from = '']) => ({
      names: names
        .replaceAll(/[{}]|\btype\b/g, ' ')
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== ''),
      from: this.#resolve(file, from),
    }))
    const loaded = [...text.matchAll(atRunTime)].map(([, from = '']) => ({
      names: ['*'],
      from: this.#resolve(file, /^[.@]/.test(from) ? from : `./${from}`),
    }))
    const all = [...named, ...loaded].filter(({ from }) => from !== '')
    this.#statements.set(file, all)
    return all
  }

  #originOf(file: string, name: string, depth = 0): string {
    if (basename(file) !== 'index.ts' || depth > 4) return file
    const wanted = name.split(' as ')[0]
    const origin = this.#statementsOf(file).find(({ names }) =>
      names.some((one) => one.split(' as ').at(-1) === wanted),
    )
    return origin ? this.#originOf(origin.from, wanted as string, depth + 1) : file
  }

  /** Empty for packages of others. */
  #resolve(file: string, specifier: string): string {
    const own = /^@patchbay\/(\w+)(?:\/([\w-]+))?$/.exec(specifier)
    if (own) return `${own[1]}/src/${own[2] ?? 'index'}.ts`
    return specifier.startsWith('.') ? join(dirname(file), specifier) : ''
  }
}
