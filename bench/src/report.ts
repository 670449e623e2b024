// What a scenario measured: printed, and kept in docs/benchmarks.md with a picture. A scenario that was run alone replaces its own rows.
import { type Bar, drawBars } from '../../build/records/bar-picture.ts'
import { type Circumstances, describeCircumstances } from '../../build/records/circumstances.ts'
import { docs, keepRecord, tableOf, writeWhole } from '../../build/records/keep-records.ts'

/** `isMet` is undefined for what is only told. */
export type Row = { what: string; measured: string; wanted: string; isMet: boolean | undefined }

type BenchRecord = Circumstances & { name: string; rows: Row[] }

export function printTable(title: string, rows: Row[]): void {
  const width = (pick: (row: Row) => string) => Math.max(...rows.map((row) => pick(row).length))
  const [what, measured] = [width((row) => row.what), width((row) => row.measured)]
  console.log(`\n${title}`)
  for (const row of rows)
    console.log(
      `  ${verdict(row).padEnd(6)}  ${row.what.padEnd(what)}  ${row.measured.padEnd(measured)}  (${row.wanted})`,
    )
}

export function publishRows(scenarios: readonly string[], name: string, rows: Row[]): void {
  const records = keepRecord<BenchRecord>('records/benchmarks.json', scenarios, {
    name,
    ...describeCircumstances(),
    rows,
  })
  writeWhole(`${docs}pictures/benchmarks.svg`, draw(records))
  writeWhole(`${docs}benchmarks.md`, write(scenarios, records))
}

function write(scenarios: readonly string[], records: readonly BenchRecord[]): string {
  const parts = records.map(
    ({ name, date, commit, machine, rows }) => `## ${name}

${date} UTC, commit ${commit}, ${machine}

${tableOf(
  ['', 'What', 'Measured', 'Target'],
  rows.map((row) => [verdict(row), row.what, row.measured, row.wanted]),
)}
`,
  )
  const missing = scenarios.filter((scenario) => records.every(({ name }) => name !== scenario))
  return `# Benchmarks

Written by \`npm run bench\`. A scenario that was run alone (\`npm run bench -- ${records[0]?.name ?? 'runs'}\`) replaces its own table, so tables may come from different days and commits.
A commit with a plus sign had local changes. Compare ratios: absolute figures are those of one machine, and what else it does changes them.

![How far each figure is from its target](pictures/benchmarks.svg)

${parts.join('\n')}${missing.length === 0 ? '' : `\nNot measured yet: ${missing.join(', ')}.\n`}`
}

/** A bar reaches the line in the middle when the figure is just as wanted; ten times better reaches the end. */
function draw(records: readonly BenchRecord[]): string {
  const bars = records.flatMap(({ name, rows }) =>
    rows
      .filter(({ isMet }) => isMet !== undefined)
      .map((row): Bar => {
        const margin = marginOf(row)
        return {
          label: shortened(`${name}: ${row.what}`),
          text: shortened(row.measured, 38),
          isGood: row.isMet,
          length: margin === undefined ? undefined : Math.max(0, Math.min(1, (Math.log10(margin) + 1) / 2)),
        }
      }),
  )
  return drawBars({ title: 'Benchmarks against their targets', bars, mark: { at: 0.5, text: 'on target' } })
}

/** How many times better than wanted; undefined where the two are not in the same unit. */
export function marginOf({ measured, wanted }: Row): number | undefined {
  const limit = /(at least|under|at most) ([\d.]+)(?: ?(%|ms|s|MB\/s|MB|KB))?(?![\w.])/.exec(wanted)
  const figure = /^(?:.* = )?([\d.]+)(?: (%|ms|s|MB\/s|MB|KB)\b| ?(%))?/.exec(measured)
  if (!limit || !figure || (limit[3] ?? '') !== (figure[2] ?? figure[3] ?? '') || wanted.includes('slower'))
    return undefined
  const ratio = Number(figure[1]) / Number(limit[2])
  const margin = limit[1] === 'at least' ? ratio : 1 / ratio
  return Number.isFinite(margin) && margin > 0 ? margin : undefined
}

function verdict({ isMet }: Row): string {
  return isMet === undefined ? '' : isMet ? 'met' : 'missed'
}

function shortened(text: string, length = 66): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}
