import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import type { BlockEntry } from '../../src/runs/recorder.ts'
import type { BlockRecord, RunStatus } from '../../src/runs/run.ts'
import { RunJournal } from '../../src/runs/run-journal.ts'

function blockOf(seq: number): BlockRecord {
  return {
    ...{ blockId: randomUUID(), seq, status: 'Ready', errorMessage: null, sealedDeferred: null, result: `${seq}` },
    ...{ log: null, calls: null, session: null, endFlag: null, pauseMs: 0 },
    ...{ startedAt: new Date(), endedAt: new Date() },
  }
}

/** A journal whose writes end when the test says so. */
function openJournal(gatherMs: number) {
  const writes: { seqs: number[]; end: PromiseWithResolvers<RunStatus | undefined> }[] = []
  const record = (entry: BlockEntry) => {
    const end = Promise.withResolvers<RunStatus | undefined>()
    writes.push({ seqs: entry.blocks.map(({ seq }) => seq), end })
    return end.promise
  }
  const journal = new RunJournal({ record, gatherMs: () => gatherMs }, () => ({
    claim: { runId: randomUUID(), attempt: 0, partition: 'runs_default' },
    scope: { organizationId: randomUUID(), accountId: randomUUID() },
    progress: { pauseMs: 0, lastBlockId: null, lastBlockTitle: null },
  }))
  return { journal, writes, seqs: () => writes.map((write) => write.seqs) }
}

const aMoment = () => new Promise((done) => setTimeout(done, 5))

it('writes one after the other, each with all that was noted meanwhile', async () => {
  const { journal, writes, seqs } = openJournal(0)
  for (const seq of [1, 2, 3]) journal.note(blockOf(seq), false)
  await aMoment()
  expect(seqs()).toEqual([[1]])
  writes[0]?.end.resolve('Processing')
  await aMoment()
  expect(seqs()).toEqual([[1], [2, 3]])
  const all = journal.pending
  writes[1]?.end.resolve('Processing')
  expect(await all).toBe(true)
  expect(journal.pending).toBeUndefined()
})

it('leaves to the end of the run what no write has taken', async () => {
  const { journal, seqs } = openJournal(10_000)
  for (const seq of [1, 2]) journal.note(blockOf(seq), false)
  expect((await journal.takeRest()).map(({ seq }) => seq)).toEqual([1, 2])
  expect(seqs()).toEqual([])
})

it('does not wait for others with a block that called somebody, nor when somebody waits for the record', async () => {
  const urgent = openJournal(10_000)
  urgent.journal.note(blockOf(1), true)
  expect(urgent.seqs()).toEqual([[1]])
  const hurried = openJournal(10_000)
  hurried.journal.note(blockOf(1), false)
  expect(hurried.seqs()).toEqual([])
  hurried.journal.hurry()
  expect(hurried.seqs()).toEqual([[1]])
})

it('does not hold large results', () => {
  const { journal, seqs } = openJournal(10_000)
  journal.note({ ...blockOf(1), result: 'x'.repeat(300_000) }, false)
  expect(seqs()).toEqual([[1]])
})

it.each([
  ['another worker owns the run', undefined, { isLost: true, isStopping: false }],
  ['the run is to stop', 'Stopping', { isLost: false, isStopping: true }],
] as const)('says that nothing may be built on it when %s', async (_, status, told) => {
  const { journal, writes } = openJournal(0)
  journal.note(blockOf(1), false)
  const basis = journal.pending
  writes[0]?.end.resolve(status)
  expect(await basis).toBe(false)
  expect(journal).toMatchObject(told)
})

it('writes nothing more after a write that failed for good, so that records have no gap', async () => {
  const { journal, writes, seqs } = openJournal(0)
  journal.note(blockOf(1), false)
  journal.note(blockOf(2), false)
  const basis = journal.pending
  writes[0]?.end.reject(new Error('the disk is full'))
  expect(await basis).toBe(false)
  expect(seqs()).toEqual([[1]])
  expect(() => journal.note(blockOf(3), false)).toThrow('the disk is full')
  await expect(journal.takeRest()).rejects.toThrow('the disk is full')
})
