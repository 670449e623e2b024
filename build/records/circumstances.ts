// Under which circumstances something was measured or proven: when, on which machine, at which commit.
import { execFileSync } from 'node:child_process'
import { cpus, totalmem } from 'node:os'

export type Circumstances = { date: string; machine: string; commit: string }

export function describeCircumstances(): Circumstances {
  const processors = cpus()
  const memoryGib = Math.round(totalmem() / 1024 ** 3)
  const model = processors[0]?.model.replace(/\s+/g, ' ').trim() ?? 'unknown processor'
  return {
    date: new Date().toISOString().slice(0, 16).replace('T', ' '),
    machine: `${processors.length} × ${model}, ${memoryGib} GiB, ${process.platform} ${process.arch}, Node ${process.versions.node}`,
    commit: describeCommit(),
  }
}

/** With a plus sign where files differ from the commit, except for the records themselves. */
function describeCommit(): string {
  try {
    const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' }).trim()
    const changed = git('status', '--porcelain', '--untracked-files=no', '--', '.', ':!docs')
    return `${git('rev-parse', '--short', 'HEAD')}${changed === '' ? '' : '+'}`
  } catch {
    return 'no git'
  }
}
