// docs/proofs.md and its picture, from the records.
import { drawBars } from '../records/bar-picture.ts'
import { docs, keepRecord, readRecords, tableOf, writeWhole } from '../records/keep-records.ts'
import { proofs } from './proofs.ts'
import type { ProofRecord } from './run-proof.ts'

const file = 'records/proofs.json'

/** How long each took the last time. */
export function secondsOf(): Map<string, number> {
  return new Map(readRecords<ProofRecord>(file).map(({ name, seconds }) => [name, seconds]))
}

export function publishProof(record: ProofRecord): void {
  const names = proofs.map(({ name }) => name)
  const records = keepRecord(file, names, record)
  writeWhole(`${docs}pictures/proofs.svg`, draw(records))
  writeWhole(`${docs}proofs.md`, write(records))
}

function write(records: readonly ProofRecord[]): string {
  const missing = proofs.filter(({ name }) => records.every((record) => record.name !== name))
  const rows = records.map((record) => [
    `**${record.name}**: ${whatOf(record)}`,
    record.isHeld ? 'held' : 'FAILED',
    [...record.sizes.map(inWords), `${record.tests} tests`].join('\n'),
    record.figures.join('\n') || '–',
    record.seeds.join(', ') || '–',
    inTime(record.seconds),
    `${record.date}\n${record.commit}`,
  ])
  const machines = [...new Set(records.map(({ machine }) => machine))]
  return `# Proofs

Written by \`npm run prove\`. A part that was run alone (\`npm run prove -- ${records[0]?.name ?? 'fuzz'}\`) replaces its own row, so rows may come from different days and commits.
A commit with a plus sign had local changes. \`PROOF_SEED\` repeats the random choices of a run.

![How long each proof ran, and whether it held](pictures/proofs.svg)

${tableOf(['Proof', 'Result', 'Size', 'Counted', 'Seed', 'Took', 'Date (UTC), commit'], rows)}

${missing.length === 0 ? 'Every proof is recorded.' : `Not recorded yet: ${missing.map(({ name }) => name).join(', ')}.`}

Machine: ${machines.join('; ')}.
`
}

function draw(records: readonly ProofRecord[]): string {
  const longest = Math.max(1, ...records.map(({ seconds }) => seconds))
  return drawBars({
    title: 'Proofs: time taken, green where it held',
    bars: records.map((record) => ({
      label: whatOf(record),
      text: `${inTime(record.seconds)}, ${record.isHeld ? 'held' : 'failed'}`,
      isGood: record.isHeld,
      length: Math.sqrt(record.seconds / longest),
    })),
  })
}

function whatOf({ name }: ProofRecord): string {
  return proofs.find((proof) => proof.name === name)?.what ?? name
}

/** `PROOF_ROTATED_KEYS=100000` as `rotated keys 100,000`. */
function inWords(size: string): string {
  const [name = '', value = ''] = size.slice('PROOF_'.length).split('=')
  return `${name.toLowerCase().replaceAll('_', ' ')} ${Number(value).toLocaleString('en')}`
}

function inTime(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`
}
