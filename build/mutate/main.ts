// npm run mutate [-- part …]: changes the engine in thousands of small ways and runs its tests against each. At least 95 % must be noticed.
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { engine, type Part, parts } from './parts.ts'

const scoreMin = 95
/** Named in stryker.config.json as well. */
const report = 'node_modules/.stryker/report.json'

type Mutant = { status: string; mutatorName: string; replacement?: string; location: { start: { line: number } } }
type Report = { files: Record<string, { mutants: Mutant[] }> }
type Tried = { file: string } & Mutant

function expectAllInOnePart(): void {
  const inParts = parts.flatMap(({ sources }) => sources.flatMap((source) => globSync(`${engine}/${source}`)))
  for (const file of globSync(`${engine}/**/*.ts`)) {
    const count = inParts.filter((one) => one === file).length
    if (count !== 1) throw new Error(`${file} is in ${count} parts of build/mutate/parts.ts instead of one.`)
  }
}

function tryPart({ sources, tests }: Part): Tried[] {
  const files = sources.map((source) => `${engine}/${source}`).join(',')
  const { status } = spawnSync('node_modules/.bin/stryker', ['run', '--mutate', files], {
    env: { ...process.env, MUTATE_TESTS: tests.join(',') },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (status !== 0) throw new Error(`Stryker ended with ${status}.`)
  const { files: told } = JSON.parse(readFileSync(report, 'utf8')) as Report
  return Object.entries(told).flatMap(([file, { mutants }]) => mutants.map((mutant) => ({ file, ...mutant })))
}

const isNoticed = ({ status }: Tried) => status === 'Killed' || status === 'Timeout'
/** A change with which the tests cannot even be loaded says nothing about them. */
const isCounted = ({ status }: Tried) => !['Ignored', 'CompileError', 'RuntimeError'].includes(status)

function tell(name: string, tried: readonly Tried[]): number {
  const score = (100 * tried.filter(isNoticed).length) / tried.length
  console.log(`${name}: ${tried.filter(isNoticed).length} of ${tried.length} changes noticed, ${score.toFixed(1)} %`)
  return score
}

expectAllInOnePart()
const wanted = process.argv.slice(2)
const all: Tried[] = []
for (const part of parts) {
  if (wanted.length > 0 && !wanted.includes(part.name)) continue
  const tried = tryPart(part).filter(isCounted)
  tell(part.name, tried)
  for (const { file, location, mutatorName, replacement = '' } of tried.filter((one) => !isNoticed(one)))
    console.log(`  ${file}:${location.start.line} ${mutatorName}: ${replacement.replaceAll(/\s+/g, ' ').slice(0, 100)}`)
  all.push(...tried)
}
process.exit(tell('all', all) >= scoreMin ? 0 : 1)
