// HAProxy in front of two cells, with the configuration that the project ships. Clients know its address and no other.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { eventually } from './eventually.ts'

export const hasProxy = spawnSync('haproxy', ['-v']).status === 0

const config = fileURLToPath(new URL('../../../deploy/cells/haproxy.cfg', import.meta.url))

export type CellProxy = AsyncDisposable & { baseUrl: string }

export async function startCellProxy(publicPort: number, cells: { eu1: string; us1: string }): Promise<CellProxy> {
  const directory = mkdtempSync(join(tmpdir(), 'patchbay-proxy-'))
  const map = join(directory, 'moved.map')
  writeFileSync(map, '')
  const proxy: ChildProcess = spawn('haproxy', ['-db', '-f', config], {
    env: {
      PATH: process.env['PATH'],
      PATCHBAY_PUBLIC: `127.0.0.1:${publicPort}`,
      PATCHBAY_EU1: new URL(cells.eu1).host,
      PATCHBAY_US1: new URL(cells.us1).host,
      PATCHBAY_MOVED_MAP: map,
    },
    stdio: 'ignore',
  })
  const baseUrl = `http://127.0.0.1:${publicPort}`
  await eventually(async () => (await fetch(`${baseUrl}/readyz`)).ok)
  return {
    baseUrl,
    [Symbol.asyncDispose]: async () => {
      proxy.kill('SIGKILL')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
