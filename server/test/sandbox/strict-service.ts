/** Prints why a strict sandbox does not start here, or that it does. */
import { SandboxPool } from '../../src/sandbox/pool/pool.ts'

try {
  await using _pool = await SandboxPool.create({ size: 1, isStrict: true })
  process.stdout.write('started')
} catch (error) {
  process.stdout.write(String(error))
}
