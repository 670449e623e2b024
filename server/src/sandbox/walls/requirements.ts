import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** isolated-vm below this version lets a script corrupt memory of its process (GHSA-864f-rcv7-6rh4). */
const ISOLATED_VM_MIN = [7, 0, 1] as const
/** Older V8 branches of Node no longer get the fixes for flaws that scripts can use. */
const V8_MIN = [13, 6] as const

export type Versions = { node: string; v8: string; isolatedVm: string }

export function readVersions(): Versions {
  const packagePath = createRequire(import.meta.url).resolve('isolated-vm/package.json')
  const { version } = JSON.parse(readFileSync(packagePath, 'utf8')) as { version: string }
  return { node: process.versions.node, v8: process.versions.v8, isolatedVm: version }
}

/** Sentences saying why scripts must not run on these versions; empty when they may. */
export function listVersionFaults(versions: Versions): string[] {
  const faults: string[] = []
  if (isBelow(versions.isolatedVm, ISOLATED_VM_MIN)) {
    faults.push(`isolated-vm ${versions.isolatedVm} is not safe; ${ISOLATED_VM_MIN.join('.')} or newer is needed.`)
  }
  if (Number.parseInt(versions.node, 10) % 2 !== 0) {
    faults.push(
      `Node.js ${versions.node} is an odd-numbered release, which isolated-vm does not support. Use a long-term support release.`,
    )
  }
  if (isBelow(versions.v8, V8_MIN)) faults.push(`V8 ${versions.v8} is too old; ${V8_MIN.join('.')} or newer is needed.`)
  return faults
}

function isBelow(version: string, minimum: readonly number[]): boolean {
  const parts = version.split(/[.-]/, minimum.length).map(Number)
  for (const [index, least] of minimum.entries()) {
    const part = parts[index] ?? 0
    // A part that is not a number compares false both ways, so it has to count as too old by itself.
    if (Number.isNaN(part) || part < least) return true
    if (part > least) return false
  }
  // `7.0.1-beta` comes before `7.0.1`.
  return /^\d+(\.\d+)*-/.test(version) && !version.includes('node')
}
