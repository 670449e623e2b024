import { execFileSync } from 'node:child_process'

/** Script processes below these processes, and no others of the machine. */
export function listScriptProcesses(parents: readonly number[]): number[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().match(/^(\d+)\s+(\d+)\s+(.*)$/))
    .flatMap((match) => (match ? [{ pid: Number(match[1]), parent: Number(match[2]), args: match[3] as string }] : []))
  const below = (parent: number): typeof rows => {
    const children = rows.filter((row) => row.parent === parent)
    return [...children, ...children.flatMap((child) => below(child.pid))]
  }
  return parents.flatMap(below).flatMap((row) => (row.args.includes('guest/main') ? [row.pid] : []))
}

/** False when it had ended by itself in the meantime. */
export function killProcess(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch {
    return false
  }
}
