// How long each test file took when it last ran here.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Project } from './projects.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const file = join(root, 'node_modules/.cache/patchbay-test-durations.json')

/** Where nothing is known yet, by the size of the file: a line of a browser's test takes longer than one of a unit's. */
const msPerByte: Record<Project, number> = { unit: 0.02, api: 0.4, browser: 2, proof: 3, 'proof-alone': 5 }

export class Durations {
  readonly #known: Record<string, number> = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}

  expect(test: string, project: Project): number {
    return this.#known[test] ?? (statSync(join(root, test), { throwIfNoEntry: false })?.size ?? 0) * msPerByte[project]
  }

  note(test: string, ms: number): void {
    this.#known[test] = Math.round(ms)
  }

  save(): void {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, JSON.stringify(this.#known))
  }
}
