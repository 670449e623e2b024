// One proof is one run of Vitest in a process of its own, which main.ts starts with the name of the proof. What its tests print is what is recorded:
// sizes, the seed, and what was counted.
import { startVitest } from 'vitest/node'
import { type Circumstances, describeCircumstances } from '../records/circumstances.ts'
import { type Proof, proofs } from './proofs.ts'

export type ProofRecord = Circumstances & {
  name: string
  isHeld: boolean
  /** As `passed of all`. */
  tests: string
  sizes: string[]
  seeds: string[]
  figures: string[]
  seconds: number
}

async function runProof(proof: Proof): Promise<ProofRecord> {
  const circumstances = describeCircumstances()
  const printed: string[] = []
  const startedAt = performance.now()
  const listener = {
    onUserConsoleLog: ({ content }: { content: string }) => void printed.push(...content.trimEnd().split('\n')),
  }
  const vitest = await startVitest([...proof.files], {
    run: true,
    watch: false,
    fileParallelism: false,
    reporters: ['default', listener],
  })
  const tests = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests()])
  const states = tests.map((test) => test.result().state)
  const passed = states.filter((state) => state === 'passed').length
  const ran = states.filter((state) => state !== 'skipped').length
  const isHeld = ran > 0 && passed === ran && vitest.state.getUnhandledErrors().length === 0
  await vitest.close()
  const lines = [...new Set(printed)]
  return {
    name: proof.name,
    ...circumstances,
    isHeld,
    tests: `${passed} of ${ran}`,
    sizes: lines.filter((line) => line.startsWith('PROOF_')),
    seeds: lines.flatMap((line) => /^seed (\d+)$/.exec(line)?.[1] ?? []),
    figures: lines.filter((line) => line !== '' && !line.startsWith('PROOF_') && !/^seed \d+$/.test(line)),
    seconds: Math.round((performance.now() - startedAt) / 1000),
  }
}

const proof = proofs.find(({ name }) => name === process.argv[2])
if (!proof) throw new Error(`There is no proof "${process.argv[2]}".`)
const record = await runProof(proof)
process.send?.(record, () => process.exit(record.isHeld ? 0 : 1))
