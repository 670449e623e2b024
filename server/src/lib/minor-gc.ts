// Buffers lie outside V8's heap, and V8 lets about a hundred megabytes of dead ones lie before it looks, then stops the program for a full
// collection. Whoever streams gigabytes through short-lived buffers asks for the small, quick collection now and then: memory stays flat, and the
// stream is faster too.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const everyBytes = 8 * 1024 * 1024

// The function is there only in contexts that are made while the flag is set.
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (how: { type: 'minor' }) => void
setFlagsFromString('--no-expose-gc')

/** Returns a function to be told of the bytes that have passed. */
export function deadBufferCollector(): (bytes: number) => void {
  let passed = 0
  return (bytes) => {
    passed += bytes
    if (passed < everyBytes) return
    passed = 0
    collect({ type: 'minor' })
  }
}
