import { readlinkSync } from 'node:fs'
import { processLimits } from '../limits.ts'
import type { GuestReport } from '../protocol.ts'
import { hasProc, hidesPaths, isRoot, type Launch } from './launch.ts'

/** Which walls around script processes hold on this machine: found out by a script process that was really started. */
export type Enforcement = {
  noNetwork: boolean
  /** The process runs as a user that is not the service's, so files of the service are not its own. */
  ownUser: boolean
  hiddenPaths: boolean
  /** Other processes cannot be seen, and so not be looked into or signalled. */
  ownProcesses: boolean
  /** System calls that no script process needs are refused. */
  systemCallFilter: boolean
  noForeignDescriptors: boolean
  emptyEnvironment: boolean
  dataLimit: boolean
  processLimit: boolean
  openFileLimit: boolean
  noCoreDump: boolean
  noFileWrites: boolean
  /** Memory is measured from outside; otherwise the process itself reports it. */
  memoryWatchdog: boolean
}

const sentences: { [Wall in keyof Enforcement]: string } = {
  noNetwork:
    'Script processes could reach the network: the platform allows neither a network namespace nor a system call filter.',
  ownUser: 'Script processes run as the same user as the service. Start the service as root, and they run as nobody.',
  hiddenPaths: 'Script processes could read directories of the service: the platform does not allow a mount namespace.',
  ownProcesses: 'Script processes could see other processes: the platform does not allow a process namespace.',
  systemCallFilter: 'System calls of script processes are not filtered: that needs Linux on x64 or arm64, with Perl.',
  noForeignDescriptors: 'Script processes may inherit open file descriptors from the service.',
  emptyEnvironment: 'Script processes have environment variables.',
  dataLimit: 'The memory of script processes is not limited by the system.',
  processLimit: 'Script processes could start other processes: their number is not limited.',
  openFileLimit: 'The number of files a script process may open is not limited.',
  noCoreDump: 'A script process that crashes may write its memory to a file.',
  noFileWrites: 'Script processes could write files where their user may.',
  memoryWatchdog: 'The memory of script processes cannot be measured from outside here.',
}

export function judgeEnforcement(
  { isolation, dataBytes }: Pick<Launch, 'isolation' | 'dataBytes'>,
  report: GuestReport,
): Enforcement {
  const limits = parseLimits(report.processLimits)
  const atMost = (name: string, most: number): boolean => (limits.get(name) ?? Number.POSITIVE_INFINITY) <= most
  return {
    noNetwork: report.refusesSockets || isOwn('net', report.networkNamespace),
    ownUser: isRoot() && isolation !== 'userNamespace' && report.uid !== 0,
    hiddenPaths: hidesPaths(isolation),
    ownProcesses: isOwn('pid', report.processNamespace),
    systemCallFilter: report.refusesSockets,
    noForeignDescriptors: report.foreignDescriptors === 0,
    emptyEnvironment: report.environmentNames.length === 0,
    dataLimit: dataBytes !== undefined && atMost('Max data size', dataBytes),
    processLimit: atMost('Max processes', processLimits.processes),
    openFileLimit: atMost('Max open files', processLimits.openFiles),
    noCoreDump: atMost('Max core file size', 0),
    noFileWrites: atMost('Max file size', 0),
    memoryWatchdog: hasProc(),
  }
}

/** Whether the script process has a namespace that is not the service's. */
function isOwn(kind: 'net' | 'pid', name: string): boolean {
  try {
    return name !== '' && name !== readlinkSync(`/proc/self/ns/${kind}`)
  } catch {
    return false
  }
}

/** For the operator at start: what could not be enforced. `reasons` are known where the platform is not the only one. */
export function describeMissing(
  enforcement: Enforcement,
  reasons: { [Wall in keyof Enforcement]?: string | undefined } = {},
): string[] {
  const walls = Object.keys(sentences) as (keyof Enforcement)[]
  return walls.filter((wall) => !enforcement[wall]).map((wall) => reasons[wall] ?? sentences[wall])
}

function parseLimits(text: string): Map<string, number> {
  const limits = new Map<string, number>()
  for (const line of text.split('\n')) {
    const [, name, soft] = /^(Max .*?)\s{2,}(\d+)\s/.exec(line) ?? []
    if (name !== undefined) limits.set(name, Number(soft))
  }
  return limits
}
