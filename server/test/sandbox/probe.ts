/**
 * Stands in for a script process that an attacker has taken over completely: it is started behind the same walls, but is
 * plain Node.js without any limits of its own, and tries what native code could try. Prints what it found as JSON.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'

const [port, secretFile, hiddenFile, keyFile, servicePid, drop] = process.argv.slice(2)
const attempt = (work: () => unknown): unknown => {
  try {
    return work()
  } catch (error) {
    return `refused: ${(error as NodeJS.ErrnoException).code}`
  }
}

if (drop !== undefined && drop !== '') {
  process.setgroups?.([])
  process.setgid?.(Number(drop))
  process.setuid?.(Number(drop))
}

const reach = (host: string): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(Number(port), host, () => {
      socket.destroy()
      resolve('connected')
    })
    socket.setTimeout(2000, () => socket.destroy(new Error('slow')))
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(`refused: ${error.code}`))
  })

const spawnRefusal = (file: string): string => {
  const { error } = spawnSync(file) as { error?: NodeJS.ErrnoException }
  return error ? `refused: ${error.code}` : 'started'
}

const found = {
  environment: attempt(() => readFileSync('/proc/self/environ', 'utf8')),
  environmentNames: Object.keys(process.env),
  directory: attempt(() => readdirSync('.')),
  interfaces: attempt(() => Object.keys(networkInterfaces())),
  processes: attempt(() => readdirSync('/proc').filter((name) => /^\d+$/.test(name))),
  loopback: await reach('127.0.0.1'),
  loopback6: await reach('::1'),
  secretFile: attempt(() => readFileSync(secretFile as string, 'utf8')),
  keyFile: attempt(() => readFileSync(keyFile as string, 'utf8')),
  hiddenFile: attempt(() => readFileSync(hiddenFile as string, 'utf8')),
  serviceEnvironment: attempt(() => readFileSync(`/proc/${servicePid}/environ`, 'utf8').length),
  serviceMemory: attempt(() => readFileSync(`/proc/${servicePid}/maps`, 'utf8').length),
  serviceSignal: attempt(() => process.kill(Number(servicePid), 0)),
  writtenFile: attempt(() => writeFileSync(`${secretFile}.written`, 'x')),
  becomeRoot: attempt(() => process.setuid?.(0)),
  startedProcess: spawnRefusal('/bin/true'),
  mount: spawnSync('/bin/mount', ['-t', 'tmpfs', 'none', '/mnt']).status,
}
writeSync(3, `${JSON.stringify(found)}\n`)
