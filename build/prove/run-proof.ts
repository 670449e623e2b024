// One proof is one run of Vitest. What its tests print is what is recorded: sizes, the seed, and what was counted.
import { startVitest } from 'vitest/node'
import { type Circumstances, describeCircumstances } from '../records/circumstances.ts'
import type { Proof } from './proofs.ts'

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

export async function runProof(proof: Proof): Promise<ProofRecord> {
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
  // A failed proof is told by the record; the exit code is set by the caller.
  process.exitCode = 0
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
