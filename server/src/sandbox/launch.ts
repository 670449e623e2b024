import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { processLimits } from './limits.ts'

/**
 * How a script process is started. From outside to inside: `unshare` takes away the network, a shell sets the limits and
 * covers directories, `setpriv` takes away privileges, `env -i` the environment, and then Node.js starts.
 */

/**
 * - `namespaces`: the service is root and may make namespaces; the script process then becomes another user.
 * - `userNamespace`: namespaces inside a user namespace, which most systems allow to everybody.
 * - `plain`: none.
 */
export type Isolation = 'namespaces' | 'userNamespace' | 'plain'

export type Launch = { isolation: Isolation; hiddenPaths: readonly string[] }

export type Command = { file: string; args: string[] }

/** The user `nobody`, who owns no file. */
const NOBODY = 65534

const guestPath = fileURLToPath(new URL('./guest/main.ts', import.meta.url))

export function listIsolations(): Isolation[] {
  if (process.platform !== 'linux' || findProgram('unshare') === undefined) return ['plain']
  return isRoot() ? ['namespaces', 'userNamespace', 'plain'] : ['userNamespace', 'plain']
}

export function composeCommand({ isolation, hiddenPaths }: Launch): Command {
  const node = [process.execPath, ...nodeArguments(), guestPath, ...guestArguments(isolation)]
  if (process.platform === 'win32') return { file: node[0] as string, args: node.slice(1) }

  const setpriv = isolation === 'plain' ? undefined : findProgram('setpriv')
  const privileges = setpriv
    ? [setpriv, '--no-new-privs', ...(isolation === 'userNamespace' ? ['--bounding-set=-all', '--inh-caps=-all'] : [])]
    : []
  const inside = [
    '/bin/sh',
    '-c',
    composeShell(isolation, hiddenPaths),
    'sh',
    ...hiddenPathArguments(isolation, hiddenPaths),
    ...privileges,
    '/usr/bin/env',
    '-i',
    ...node,
  ]
  if (isolation === 'plain') return { file: inside[0] as string, args: inside.slice(1) }

  const user = isolation === 'userNamespace' ? ['--user', '--map-root-user'] : []
  return {
    file: findProgram('unshare') as string,
    args: [...user, '--net', '--ipc', '--uts', '--mount', '--', ...inside],
  }
}

/** A limit that the platform refuses is left out; the report of the process shows which ones hold. */
function composeShell(isolation: Isolation, hiddenPaths: readonly string[]): string {
  const { dataBytes, openFiles, processes } = processLimits
  const limits = [
    '-c 0',
    '-f 0',
    `-n ${openFiles}`,
    `-d ${Math.floor(dataBytes / 1024)}`,
    // Without another user the count would include everything else that the service's user runs.
    ...(isolation === 'plain' && !isRoot() ? [] : [`-u ${processes}`, `-p ${processes}`]),
  ]
  const steps = limits.map((limit) => `ulimit ${limit} 2>/dev/null`)
  const covers = hidesPaths(isolation)
    ? hiddenPaths.map(() => `${findProgram('mount')} -t tmpfs -o size=4k,mode=000 none "$1" || exit 97; shift`)
    : []
  return [...covers, ...steps, 'exec "$@"'].join('\n')
}

function hiddenPathArguments(isolation: Isolation, hiddenPaths: readonly string[]): readonly string[] {
  return hidesPaths(isolation) ? hiddenPaths : []
}

export function hidesPaths(isolation: Isolation): boolean {
  return isolation !== 'plain' && findProgram('mount') !== undefined
}

function nodeArguments(): string[] {
  const modules = createRequire(import.meta.url)
  const readable = [
    dirname(fileURLToPath(import.meta.url)),
    dirname(modules.resolve('isolated-vm/package.json')),
    ...findGypBuild(modules),
    // Asked for by the search for the binary and by the report on the limits.
    '/etc/alpine-release',
    '/proc/self/limits',
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
