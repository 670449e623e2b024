// Which process receives an upload. On the machine it runs on, whether it lives can be seen at once; elsewhere only that it is silent.
import { hostname } from 'node:os'
import { identityOf, isAlive, type ProcessIdentity } from '../lib/process-alive.ts'

export function thisUploader(): string {
  return JSON.stringify({ host: hostname(), ...identityOf(process.pid) })
}

/** Undefined when the process runs on another machine. */
export function isUploaderAlive(uploader: string): boolean | undefined {
  const { host, pid, startedAt } = JSON.parse(uploader) as ProcessIdentity & { host: string }
  return host === hostname() ? isAlive({ pid, startedAt }) : undefined
}
