import { readFileSync, writeSync } from 'node:fs'
import ivm from 'isolated-vm'
import { MADE_ISOLATE, MAKING_ISOLATE } from '../protocol.ts'

const STDERR = 2

/** A process that ends in here ends for want of memory that no script has asked for: the service is told where it was. */
export function makeIsolate<T>(make: () => T): T {
  writeSync(STDERR, MAKING_ISOLATE)
  try {
    return make()
  } finally {
    writeSync(STDERR, MADE_ISOLATE)
  }
}

/** In megabytes: the isolate of an account, and the one in which texts are only parsed. Beside those of Node.js itself there are no others at a time. */
const HELD_AT_ONCE = [128, 64]

/** What the system counts as data of this process while all of its isolates exist; 0 where it does not tell. */
export function holdIsolates(): number {
  const isolates: ivm.Isolate[] = []
  try {
    for (const memoryLimit of HELD_AT_ONCE) isolates.push(makeIsolate(() => new ivm.Isolate({ memoryLimit })))
    return readDataBytes()
  } finally {
    for (const isolate of isolates) isolate.dispose()
  }
}

function readDataBytes(): number {
  try {
    const [, kibibytes = '0'] = /^VmData:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1')) ?? []
    return Number(kibibytes) * 1024
  } catch {
    return 0
  }
}
