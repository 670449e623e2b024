// npm run prove [-- name …]: the proofs in their large size, on a machine that does nothing else. Those that compare times run alone, the others
// three at a time: they wait for processes to die and to come back more than they compute. Those that took longest the last time begin, so that all
// end at about the same time. Each is recorded in docs/proofs.md as soon as it has ended.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type Proof, proofs } from './proofs.ts'
import { publishProof, secondsOf } from './publish.ts'
import type { ProofRecord } from './run-proof.ts'

const lanes = 3
const wanted = process.argv.slice(2)
for (const name of wanted) {
  if (!proofs.some((proof) => proof.name === name))
    throw new Error(`There is no proof "${name}". Known: ${proofs.map((proof) => proof.name).join(', ')}.`)
}
const chosen = proofs.filter(({ name }) => wanted.length === 0 || wanted.includes(name))
const failed: string[] = []

/** In a process of its own: each has a database server and a bundle of the program for all that it starts. */
async function prove({ name }: Proof): Promise<void> {
  const env = { ...process.env, PATCHBAY_PROOF: process.env['PATCHBAY_PROOF'] ?? 'large' }
  const child = fork(new URL('run-proof.ts', import.meta.url), [name], { env })
  child.once('message', (record) => publishProof(record as ProofRecord))
  const [code] = await once(child, 'exit')
  console.log(`${name}: ${code === 0 ? 'held' : 'FAILED'}`)
  if (code !== 0) failed.push(name)
}

async function proveInTurn(row: Proof[]): Promise<void> {
  for (let proof = row.shift(); proof; proof = row.shift()) await prove(proof)
}

await proveInTurn(chosen.filter(({ isMeasured }) => isMeasured))
const took = secondsOf()
const secondsWanted = ({ name }: Proof) => took.get(name) ?? Number.MAX_SAFE_INTEGER
const others = chosen
  .filter(({ isMeasured }) => !isMeasured)
  .sort((one, other) => secondsWanted(other) - secondsWanted(one))
await Promise.all(Array.from({ length: lanes }, () => proveInTurn(others)))
if (failed.length > 0) console.log(`Failed: ${failed.join(', ')}.`)
process.exit(failed.length > 0 ? 1 : 0)
