/** A service that was started with descriptors of somebody else, and one script process of it: prints what both have open. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { SandboxPool } from '../../src/sandbox/pool/pool.ts'

function listDescriptors(pid: number | string): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${descriptor}`)]
    } catch {
      return []
    }
  })
}

/** The innermost: whatever is around it only starts it. */
function findScriptProcess(pid: number): number {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  return child === undefined ? pid : findScriptProcess(Number(child))
}

const pool = await SandboxPool.create({ size: 1 })
const found = {
  own: listDescriptors('self'),
  guest: listDescriptors(findScriptProcess(process.pid)),
  missing: pool.missing,
}
process.stdout.write(JSON.stringify(found))
await pool[Symbol.asyncDispose]()
