// Proofs run in a small size with every test, and in the large one by `npm run prove`. Each prints its sizes,
// its seed and its counts, which `npm run prove` records.
import { Random } from './random.ts'

/**
 * Whether the proofs have their large size, and a machine for themselves: only then do times say something, and the promises about them are judged.
 */
export const isLarge = process.env['PATCHBAY_PROOF'] === 'large'

/** PATCHBAY_PROOF=large makes all proofs large; PROOF_<NAME> sets one number alone. */
export function proofSize(name: string, sizes: { small: number; large: number }): number {
  const given = process.env[`PROOF_${name}`]
  const chosen = isLarge ? sizes.large : sizes.small
  const size = given === undefined ? chosen : Number(given)
  console.log(`PROOF_${name}=${size}`)
  return size
}

/** PROOF_SEED makes the choices of an earlier run again. */
export function proofRandom(): Random {
  const seed = process.env['PROOF_SEED']
  const random = new Random(seed === undefined ? undefined : Number(seed))
  console.log(`seed ${random.seed}`)
  return random
}
