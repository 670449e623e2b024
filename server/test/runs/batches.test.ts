import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import type { Contents } from '../../src/contents/index.ts'
import type { Database } from '../../src/db/index.ts'
import { RunRecorder } from '../../src/runs/record/recorder.ts'

it.each(['result', 'log', 'calls', 'session'])(
  'blocks with a large %s are not gathered into one statement',
  async (large) => {
    const rowsOf: number[] = []
    const query = async (statement: { toQuery(): { values: unknown[][] } }) => {
      rowsOf.push(statement.toQuery().values[0]?.length ?? 0)
      return { rows: [], rowCount: 0 }
    }
    const recorder = new RunRecorder({
      database: { system: { query } } as unknown as Database,
      keyRing: undefined as never,
      contents: { isOn: false } as Contents,
      jobs: undefined as never,
      vault: undefined as never,
      onRunsEnded: async () => {},
      answers: { insert: async () => {} },
      news: { onBlockEnded: () => {} },
      ledger: { add: () => {} },
      onFault: () => {},
    })
    const entry = () => ({
      claim: { runId: randomUUID(), attempt: 0, partition: 'runs_default' },
      scope: { organizationId: randomUUID(), accountId: randomUUID() },
      workflowId: randomUUID(),
      runNumber: 1,
      progress: { pauseMs: 0, lastBlockId: null, lastBlockTitle: null },
      block: {
        ...{ blockId: randomUUID(), seq: 1, status: 'Ready' as const, errorMessage: null, sealedDeferred: null },
        ...{ result: null, log: null, calls: null, session: null, endFlag: null, pauseMs: 0 },
        ...{ startedAt: new Date(), endedAt: new Date() },
        [large]: 'x'.repeat(600_000),
      },
    })
    await Promise.all([recorder.record(entry()), recorder.record(entry()), recorder.record(entry())])
    expect(rowsOf).toEqual([1, 1, 1])
  },
)
