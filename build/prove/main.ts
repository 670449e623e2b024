// npm run prove [-- name …]: the proofs in their large size, one after the other, on a machine that does nothing else. Each is recorded
// as soon as it has ended, in docs/proofs.md.
import { proofs } from './proofs.ts'
import { publishProof } from './publish.ts'
import { runProof } from './run-proof.ts'

process.env['PATCHBAY_PROOF'] ??= 'large'
const wanted = process.argv.slice(2)
for (const name of wanted) {
  if (!proofs.some((proof) => proof.name === name))
    throw new Error(`There is no proof "${name}". Known: ${proofs.map((proof) => proof.name).join(', ')}.`)
}
const failed: string[] = []
for (const proof of proofs) {
  if (wanted.length > 0 && !wanted.includes(proof.name)) continue
  const record = await runProof(proof)
  publishProof(record)
  if (!record.isHeld) failed.push(proof.name)
}
if (failed.length > 0) console.log(`Failed: ${failed.join(', ')}.`)
process.exit(failed.length > 0 ? 1 : 0)
