// npm run test:related [-- file …] [--all]: the tests that would notice what was changed against main, or in the files that are named. What
// would take long is only named, unless --all is given.
import { execFileSync, spawnSync } from 'node:child_process'
import { Durations } from './durations.ts'
import { type Related, Relations } from './relate.ts'

/** About what two cores do while somebody waits. */
const budgetMs = 50_000

function changedFiles(): string[] {
  const lines = (...args: string[]) =>
    execFileSync('git', args, { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line !== '')
  const base = lines('merge-base', 'HEAD', 'main')[0] ?? 'HEAD'
  return [...new Set([...lines('diff', '--name-only', base), ...lines('ls-files', '--others', '--exclude-standard')])]
}

/** The nearest first, until the time is used up; the nearest of all runs whatever it takes. */
function fitIntoTime(related: readonly Related[]): { taken: Related[]; left: Related[] } {
  const durations = new Durations()
  let usedMs = 0
  const taken: Related[] = []
  const left: Related[] = []
  for (const one of related) {
    const ms = durations.expect(one.test, one.project)
    const fits = taken.length === 0 || usedMs + ms <= budgetMs
    if (fits) usedMs += ms
    ;(fits ? taken : left).push(one)
  }
  return { taken, left }
}

const args = process.argv.slice(2)
const named = args.filter((arg) => !arg.startsWith('--'))
const changed = named.length > 0 ? named : changedFiles()
const related = new Relations().relatedTo(changed)
const { taken, left } = args.includes('--all') ? { taken: related, left: [] } : fitIntoTime(related)
console.log(
  `${changed.length} changed ${changed.length === 1 ? 'file' : 'files'}, ${taken.length} of ${related.length} related tests:`,
)
for (const { test } of taken) console.log(`  ${test}`)
if (left.length > 0) {
  console.log('Related too, but longer (--all runs them):')
  for (const { test } of left) console.log(`  ${test}`)
}
if (taken.length === 0) process.exit(0)
if (args.includes('--list')) process.exit(0)
const { status } = spawnSync('node_modules/.bin/vitest', ['run', ...taken.map(({ test }) => test)], {
  stdio: 'inherit',
})
process.exit(status ?? 1)
