/** A service with one script that computes, one that waits for a call, and one idle process; it is killed by the test. */
import { readFileSync } from 'node:fs'
import { SandboxPool } from '../../src/sandbox/pool/pool.ts'
import { makeJob } from './harness.ts'

const pool = await SandboxPool.create({ size: 3 })
const started = Promise.withResolvers<void>()
let waiting = 0
const onCall = async () => {
  if (++waiting === 2) started.resolve()
  return await new Promise<null>(() => {})
}
void pool.run(makeJob('api.get("a/b"); let b = 3n; for (;;) b = b * b', { onCall }))
void pool.run(makeJob('myVault.get("k")', { onCall }))
await Promise.all([pool.checkScript('return 1'), started.promise])
process.stdout.write(`${readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim()}\n`)
