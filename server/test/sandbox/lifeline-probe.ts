// Holds a lifeline as a script process does, and tells what is left of the means to start threads.
import { holdLifeline } from '../../src/sandbox/guest/lifeline.ts'

await holdLifeline(false)
const left = [
  (await import('node:worker_threads')).Worker,
  process.getBuiltinModule('node:worker_threads').Worker,
  process.getBuiltinModule('worker_threads').Worker,
]
process.stdout.write(JSON.stringify(left.map((found) => typeof found)))
// Busy for ever: only the other thread can end this.
for (;;);
