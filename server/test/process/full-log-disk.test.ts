// A disk for the log that is full, or fills up, or a reader that stalls, costs lines and nothing else.
import { spawn, spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { freePort } from '../harness/free-port.ts'
import { startProgramInto } from '../harness/program.ts'

const directory = mkdtempSync(join(tmpdir(), 'patchbay-log-disk-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))
let services = 0

/** Both outputs lead to the open file, as in `npm start >log 2>&1`. */
async function startInto(fd: number) {
  const port = await freePort()
  const program = startProgramInto(fd, {
    PATCHBAY_DATA_DIR: join(directory, `data-${services++}`),
    PATCHBAY_PORT: String(port),
    PATCHBAY_LOG_LEVEL: 'debug',
  })
  const client = new Client(`http://127.0.0.1:${port}`, undefined)
  const isEnded = program.ended.then((code) => Promise.reject(new Error(`The service ended: ${code}.`)))
  isEnded.catch(() => {})
  const isReady = eventually(async () => (await client.get('/readyz').catch(() => undefined))?.status === 200)
  await Promise.race([isReady, isEnded])
  return { program, client }
}

async function load(client: Client): Promise<void> {
  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.get('/api/Authenticate')))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]))
  }
}

async function droppedLines(client: Client): Promise<number> {
  const { text } = await client.get('/metrics')
  return Number(/^patchbay_log_lines_dropped_total (\d+)$/m.exec(text)?.[1])
}

it('a service whose output is full from the start to the end starts, works and stops', async () => {
  const full = openSync('/dev/full', 'w')
  const { program, client } = await startInto(full)
  await using service = program
  const before = await droppedLines(client)
  expect(before).toBeGreaterThan(0)
  await load(client)
  expect(await droppedLines(client)).toBeGreaterThan(before)
  service.kill('SIGTERM')
  expect(await service.ended).toBe(0)
  closeSync(full)
})

/** A file system of its own in a namespace that lives as long as a process; its files are reached through that process. */
async function mountSmallDisk() {
  const keeper = spawn('unshare', [
    '--map-root-user',
    '--mount',
    'sh',
    '-c',
    `mount -t tmpfs -o size=64k none ${directory} && echo mounted && exec sleep 600`,
  ])
  await new Promise<void>((done, fail) => {
    keeper.stdout.once('data', () => done())
    keeper.once('exit', () => fail(new Error('The disk was not mounted.')))
  })
  return {
    folder: `/proc/${keeper.pid}/root${directory}`,
    [Symbol.dispose]: () => void keeper.kill('SIGKILL'),
  }
}
const canMount =
  spawnSync('unshare', ['--map-root-user', '--mount', 'mount', '-t', 'tmpfs', 'none', directory]).status === 0

describe.skipIf(!canMount)('on a disk that is full', () => {
  const fill = (folder: string) =>
    spawnSync('dd', ['if=/dev/zero', `of=${join(folder, 'filler')}`, 'bs=1k', 'count=65'])

  it('lines are dropped, and one line says how many once there is room', async () => {
    using disk = await mountSmallDisk()
    const file = join(disk.folder, 'log')
    const fd = openSync(file, 'a')
    fill(disk.folder)
    const { program, client } = await startInto(fd)
    await using service = program
    await load(client)
    const dropped = await droppedLines(client)
    expect(dropped).toBeGreaterThan(100)

    rmSync(join(disk.folder, 'filler'))
    const notices = await eventually(() => {
      const said = readFileSync(file, 'utf8').match(/^.*ines dropped: .*$/gm)
      return said?.length === 2 ? said : undefined
    })
    const told = notices.map((line) => Number(/dropped: (\d+)/.exec(line)?.[1]))
    expect((told[0] as number) + (told[1] as number)).toBe(await droppedLines(client))
    expect(notices.every((line) => line.includes('ENOSPC'))).toBe(true)
    await load(client)
    service.kill('SIGTERM')
    expect(await service.ended).toBe(0)
    const text = readFileSync(file, 'utf8')
    expect(text.match(/ines dropped: /g)).toHaveLength(2)
    expect(text.trimEnd().endsWith('Stopped.')).toBe(true)
    closeSync(fd)
  })

  it('what is still untold is told at the end', async () => {
    using disk = await mountSmallDisk()
    const file = join(disk.folder, 'log')
    const fd = openSync(file, 'a')
    const { program, client } = await startInto(fd)
    await using service = program
    await eventually(() => readFileSync(file, 'utf8').includes('Patchbay is ready'))
    fill(disk.folder)
    await eventually(async () => {
      await load(client)
      return (await droppedLines(client)) > 100
    })
    service.kill('SIGTERM')
    rmSync(join(disk.folder, 'filler'))
    expect(await service.ended).toBe(0)
    expect(readFileSync(file, 'utf8')).toMatch(/Log lines dropped: \d+/)
    closeSync(fd)
  })
})

it('a reader that stalls holds up neither the work nor the stop', async () => {
  const pipe = join(directory, 'pipe')
  expect(spawnSync('mkfifo', [pipe]).status).toBe(0)
  // Open for both, so that nobody has to read.
  const fd = openSync(pipe, 'r+')
  const { program, client } = await startInto(fd)
  await using service = program
  // A pipe holds 64 KiB.
  for (let round = 0; round < 4; round++) await load(client)
  service.kill('SIGTERM')
  expect(await service.ended).toBe(0)
  closeSync(fd)
  writeFileSync(pipe, '', { flag: 'r+' })
})
