import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { processLimits } from '../limits.ts'
import { findGuestProgram } from './guest-program.ts'
import { composeFilterCommand } from './system-call-filter.ts'

/**
 * How a script process is started. From outside to inside: `unshare` takes away the network and the sight of other processes, a shell sets
 * the limits and covers files, `setpriv` takes away privileges, `env -i` the environment, Perl sets the filter of system calls, and then
 * Node.js starts.
 *
 * In a namespace of its own for processes the shell stays as the first of them, because that one could not end itself: when the service kills
 * `unshare`, the system kills the shell, and with it everything in the namespace.
 */

/**
 * - `namespaces`: the service is root and may make namespaces; the script process then becomes another user.
 * - `userNamespace`: namespaces inside a user namespace, which most systems allow to everybody.
 * - `plain`: none.
 */
export type Isolation = 'namespaces' | 'userNamespace' | 'plain'

export type Launch = {
  isolation: Isolation
  /** The script process sees no other processes. */
  hidesProcesses: boolean
  /** Directories and files. */
  hiddenPaths: readonly string[]
  /** Undefined: not limited. */
  dataBytes?: number | undefined
}

export type Command = { file: string; args: string[] }

/** The user `nobody`, who owns no file. */
const NOBODY = 65534

const guestPath = findGuestProgram()

/** From the strongest to the weakest; a platform may refuse any of them. */
export function listLaunches(hiddenPaths: readonly string[]): Launch[] {
  const plain: Launch = { isolation: 'plain', hidesProcesses: false, hiddenPaths }
  if (process.platform !== 'linux' || findProgram('unshare') === undefined) return [plain]
  const isolations: Isolation[] = isRoot() ? ['namespaces', 'userNamespace'] : ['userNamespace']
  const launches = isolations.flatMap((isolation) =>
    [true, false].map((hidesProcesses): Launch => ({ isolation, hidesProcesses, hiddenPaths })),
  )
  return [...launches, plain]
}

export function composeCommand(launch: Launch): Command {
  const { isolation, hidesProcesses } = launch
  const node = [process.execPath, ...nodeArguments(), guestPath, ...guestArguments(isolation)]
  if (process.platform === 'win32') return { file: node[0] as string, args: node.slice(1) }

  const inside = [
    ...['/bin/sh', '-c', composeShell(launch), 'sh'],
    ...(hidesPaths(isolation) ? launch.hiddenPaths : []),
    ...privilegeCommand(isolation),
    ...['/usr/bin/env', '-i'],
    ...filterCommand(),
    ...node,
  ]
  if (isolation === 'plain') return { file: inside[0] as string, args: inside.slice(1) }

  const user = isolation === 'userNamespace' ? ['--user', '--map-root-user'] : []
  const processes = hidesProcesses ? ['--pid', '--fork', '--kill-child', '--mount-proc'] : []
  return {
    file: findProgram('unshare') as string,
    args: [...user, '--net', '--ipc', '--uts', '--mount', ...processes, '--', ...inside],
  }
}

function privilegeCommand(isolation: Isolation): string[] {
  const setpriv = findProgram('setpriv')
  if (!setpriv || process.platform !== 'linux') return []
  const capabilities = isolation === 'userNamespace' ? ['--bounding-set=-all', '--inh-caps=-all'] : []
  return [setpriv, '--no-new-privs', ...capabilities]
}

function filterCommand(): string[] {
  const perl = findProgram('perl')
  return perl && process.platform === 'linux' ? composeFilterCommand(perl, process.arch) : []
}

/** A limit that the platform refuses is left out; the report of the process shows which ones hold. */
function composeShell({ isolation, hidesProcesses, hiddenPaths, dataBytes }: Launch): string {
  const { openFiles, processes } = processLimits
  const limits = [
    '-c 0',
    '-f 0',
    `-n ${openFiles}`,
    ...(dataBytes === undefined ? [] : [`-d ${Math.floor(dataBytes / 1024)}`]),
    // Without another user the count would include everything else that the service's user runs.
    ...(isolation === 'plain' && !isRoot() ? [] : [`-u ${processes}`, `-p ${processes}`]),
  ]
  const steps = limits.map((limit) => `ulimit ${limit} 2>/dev/null`)
  const mount = findProgram('mount')
  // What lies in a directory that is covered already cannot be seen any more. A link is followed.
  const cover = [
    `if [ -d "$1" ]; then ${mount} -t tmpfs -o size=4k,mode=000 none "$1" || exit 97`,
    `elif [ -e "$1" ]; then ${mount} --bind /dev/null "$1" || exit 97; fi; shift`,
  ].join('\n')
  const covers = hidesPaths(isolation) ? hiddenPaths.map(() => cover) : []
  return [...covers, ...steps, hidesProcesses ? '"$@"; exit $?' : 'exec "$@"'].join('\n')
}

export function hidesPaths(isolation: Isolation): boolean {
  return isolation !== 'plain' && findProgram('mount') !== undefined
}

function nodeArguments(): string[] {
  const modules = createRequire(import.meta.url)
  const readable = [
    // The guest, and the protocol beside it.
    dirname(dirname(guestPath)),
    dirname(modules.resolve('isolated-vm/package.json')),
    ...findGypBuild(modules),
    // Asked for by the search for the binary and by the report on the limits.
    '/etc/alpine-release',
    '/proc/self/limits',
    '/proc/self/status',
    '/proc/self/ns/*',
    '/proc/self/fd*',
  ]
  return [
    '--no-node-snapshot',
    '--v8-pool-size=1',
    // Most scripts are over before the middle compiler has helped them; what runs for long gets the best one all the same. A heap of a few
    // megabytes is marked faster than another thread is told to.
    '--no-maglev',
    '--no-concurrent-marking',
    '--no-parallel-scavenge',
    // Realms are made and dropped all the time; an isolate is over before it has filled this, and nothing in it need ever be collected.
    '--initial-heap-size=64',
    '--max-old-space-size=256',
    // A seat belt, not a wall: it takes files and processes from JavaScript that got out of its isolate. Threads are for the lifeline, which
    // takes the means to make more of them away: one without these arguments would have no belt.
    '--permission',
    '--allow-addons',
    '--allow-worker',
    ...readable.map((path) => `--allow-fs-read=${path}`),
    // The permission model warns that addons can do anything; that is the point of all other walls.
    '--no-warnings',
  ]
}

/** isolated-vm finds its binary by another package, installed beside or inside it. */
function findGypBuild(modules: NodeJS.Require): string[] {
  const inside = createRequire(modules.resolve('isolated-vm/package.json'))
  return [dirname(inside.resolve('node-gyp-build/package.json'))]
}

function guestArguments(isolation: Isolation): string[] {
  const drop = isRoot() && isolation !== 'userNamespace' ? [`--drop=${NOBODY}`] : []
  return [...drop, ...(hasProc() ? [] : ['--report-memory'])]
}

export function hasProc(): boolean {
  return existsSync('/proc/self/status')
}

export function isRoot(): boolean {
  return process.getuid?.() === 0
}

/** The environment is empty for the script process, so programs are named by their path. */
function findProgram(name: string): string | undefined {
  return ['/usr/bin', '/bin', '/usr/sbin', '/sbin']
    .map((directory) => join(directory, name))
    .find((path) => existsSync(path))
}
