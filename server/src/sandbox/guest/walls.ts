import { closeSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { type GuestReport, LIFELINE_DESCRIPTOR } from '../protocol.ts'

const CLOSED_ON_EXEC = 0o2000000

/**
 * Whoever started the service may have left it descriptors, and they come along to every process that it starts. Those that Node.js opened for
 * itself would not. Returns how many are left; -1 when they cannot be listed.
 */
export function closeForeignDescriptors(): number {
  try {
    for (const descriptor of listForeign()) closeSync(descriptor)
    return listForeign().length
  } catch {
    return -1
  }
}

function listForeign(): number[] {
  const descriptors = readdirSync('/proc/self/fd').map(Number)
  return descriptors.filter((descriptor) => descriptor > LIFELINE_DESCRIPTOR && isInherited(descriptor))
}

function isInherited(descriptor: number): boolean {
  let info = ''
  try {
    info = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')
  } catch {
    // The one by which the list was read is closed by now.
    return false
  }
  const [, flags] = /^flags:\s+([0-7]+)$/m.exec(info) ?? []
  return (Number.parseInt(flags ?? '0', 8) & CLOSED_ON_EXEC) === 0
}

export function reportWalls(foreignDescriptors: number): GuestReport {
  return {
    uid: process.getuid?.() ?? -1,
    environmentNames: Object.keys(process.env),
    networkNamespace: orNothing(() => readlinkSync('/proc/self/ns/net')),
    processNamespace: orNothing(() => readlinkSync('/proc/self/ns/pid')),
    refusesSockets: isSocketRefused(),
    foreignDescriptors,
    processLimits: orNothing(() => readFileSync('/proc/self/limits', 'utf8')),
  }
}

/** The list of interfaces is read from a socket. */
function isSocketRefused(): boolean {
  try {
    networkInterfaces()
    return false
  } catch {
    return true
  }
}

function orNothing(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}
