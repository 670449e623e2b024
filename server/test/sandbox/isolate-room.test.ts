// Every isolate reserves memory, how much depends on the machine. Whatever it is, the isolates of a script process fit, and a process that dies for
// want of it is not the script's fault.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkJob } from '../../src/sandbox/job/check-job.ts'
import { writeInputs } from '../../src/sandbox/job/job.ts'
import { runJob } from '../../src/sandbox/job/run-job.ts'
import { SCRIPT_DATA_BYTES } from '../../src/sandbox/limits.ts'
import { type FirstProcess, startFirstProcess } from '../../src/sandbox/pool/first-process.ts'
import { SandboxPool } from '../../src/sandbox/pool/pool.ts'
import { GuestProcess } from '../../src/sandbox/process/guest-process.ts'
import type { FromGuest } from '../../src/sandbox/protocol.ts'
import { expectReturned, makeJob } from './harness.ts'

const MIB = 1024 * 1024
const hasProc = existsSync('/proc/self/status')
const folder = mkdtempSync(join(tmpdir(), 'patchbay-isolates-'))
const measuredFile = join(folder, 'measured-isolates.json')
const readMeasured = () => Object.entries(JSON.parse(readFileSync(measuredFile, 'utf8')))[0] as [string, number]
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What the process answers when it is to make all its isolates at once; undefined when it ends. */
function hold(guest: GuestProcess): Promise<FromGuest | undefined> {
  const job = guest.nextJob()
  const { promise, resolve } = Promise.withResolvers<FromGuest | undefined>()
  guest.listen(job, { message: resolve, exit: () => resolve(undefined) })
  guest.send({ type: 'hold', job })
  return promise
}

describe.runIf(hasProc)('the largest permitted set of isolates', () => {
  let found: FirstProcess
  beforeAll(async () => {
    found = await startFirstProcess({ measuredFile })
  })
  afterAll(() => found.first.end())

  it('is open in one process under the real limits, again and again', async () => {
    expect(found.dataLimitProblem).toBeUndefined()
    const limit = /^Max data size\s+(\d+)/m.exec(found.first.report?.processLimits ?? '')?.[1]
    expect(Math.abs(Number(limit) - (found.launch.dataBytes ?? 0))).toBeLessThan(1024)
    for (let time = 1; time <= 30; time++)
      expect(await hold(found.first)).toMatchObject({ end: { kind: 'held', dataBytes: expect.any(Number) } })
  })

  it('is measured once, and kept for the next start', async () => {
    const [key, bytes] = readMeasured()
    expect(key).toContain(process.arch)
    expect(key).toContain(process.versions.node)
    expect(found.launch.dataBytes).toBe(bytes + SCRIPT_DATA_BYTES)
    writeFileSync(measuredFile, JSON.stringify({ [key]: bytes + MIB }))
    const next = await startFirstProcess({ measuredFile })
    expect(next.launch.dataBytes).toBe(bytes + MIB + SCRIPT_DATA_BYTES)
    await next.first.end()
  })

  it.each([
    ['far too little', () => MIB],
    ['a little less than is needed', (bytes: number) => bytes - SCRIPT_DATA_BYTES - 200 * MIB],
    ['no number', () => 'much'],
  ])('is measured anew when what was kept is %s', async (_what, wrong) => {
    const [key, bytes] = readMeasured()
    writeFileSync(measuredFile, JSON.stringify({ [key]: wrong(bytes) }))
    await using pool = await SandboxPool.create({ size: 1, measuredFile })
    expect(pool.enforcement.dataLimit).toBe(true)
    expect(expectReturned(await pool.run(makeJob('return 1'))).value).toBe(1)
    expect(Math.abs(readMeasured()[1] - bytes)).toBeLessThan(64 * MIB)
  })

  it('that does not fit under a limit that somebody assumed is told in words, and scripts run without that limit', async () => {
    const dataBytes = readMeasured()[1] - 100 * MIB
    await using pool = await SandboxPool.create({ size: 1, dataBytes })
    expect(pool.enforcement.dataLimit).toBe(false)
    const [sentence] = pool.missing.filter((text) => text.includes('memory of script processes'))
    expect(sentence).toMatch(
      /^The memory of script processes is not limited by the system: with a limit of \d+ MiB they cannot hold the isolates they need \(.+\)\.$/,
    )
    expect(expectReturned(await pool.run(makeJob('return 1'))).value).toBe(1)
    await expect(SandboxPool.create({ size: 1, dataBytes, isStrict: true })).rejects.toThrow(sentence as string)
  })

  it('that does not fit although nothing of ours limits it keeps the service from starting, in words', async () => {
    const program = fileURLToPath(new URL('./strict-service.ts', import.meta.url))
    const kibibytes = Math.floor((readMeasured()[1] - 100 * MIB) / 1024)
    const service = spawnSync('/bin/sh', ['-c', `ulimit -d ${kibibytes}; exec "$@"`, 'sh', process.execPath, program], {
      encoding: 'utf8',
    })
    expect(service.stdout).toMatch(/No script process could be started\. A process was started, but cannot hold/)
  })
})

describe.runIf(hasProc)('a script process that has no room for an isolate', () => {
  const startNarrow = async (): Promise<GuestProcess> => {
    const { launch, directory, first } = await startFirstProcess({ measuredFile })
    const dataBytes = readMeasured()[1] - 200 * MIB
    const narrow = await GuestProcess.start({ ...launch, dataBytes }, directory)
    await first.end()
    return narrow as GuestProcess
  }
  const watcher = { onBegin: () => {}, onEnd: () => {}, onComputing: () => {}, onLong: () => {} }

  it('does not make its script run out of memory', async () => {
    const job = makeJob('return 1')
    const guest = await startNarrow()
    // The isolate of another account is still there when the library of this one is parsed.
    await runJob({ guest, job, inputs: writeInputs(job.inputs), libraryKey: '', watcher })
    const library = [{ name: 'one', isAsync: false, arguments: [], script: 'return 1' }]
    const next = { ...job, accountId: 'account-2', library }
    const outcome = await runJob({ guest, job: next, inputs: writeInputs(next.inputs), libraryKey: 'other', watcher })
    expect(outcome).toMatchObject({
      kind: 'crashed',
      message: expect.stringContaining('The script process ended unexpectedly'),
    })
    await guest.end()
  })

  it('does not call the script too complex', async () => {
    const guest = await startNarrow()
    const job = makeJob('return 1')
    await runJob({ guest, job, inputs: writeInputs(job.inputs), libraryKey: '', watcher })
    expect(await checkJob(guest, 'return 1')).toMatchObject({ wasMakingIsolate: true })
    await guest.end()
  })
})
