import type { Json } from '../../src/lib/json.ts'
import type { ScriptJob } from '../../src/sandbox/job/job.ts'
import type { ScriptOutcome, ScriptReturned } from '../../src/sandbox/judge/outcome.ts'

type JobParts = Omit<Partial<ScriptJob>, 'inputs'> & { inputs?: Partial<ScriptJob['inputs']> }

/** A job whose calls answer with the call itself. */
export function makeJob(script: string, parts: JobParts = {}): ScriptJob {
  const { inputs, ...rest } = parts
  return {
    organizationId: 'organization-1',
    accountId: 'account-1',
    script,
    library: [],
    capabilities: { api: true, vault: true, email: true },
    secrets: [],
    onCall: async (call) => call as unknown as Json,
    ...rest,
    inputs: {
      dataSources: [],
      variables: {},
      session: { vars: {}, vault: {}, vaultGlobal: {} },
      webhook: null,
      dateLastRun: null,
      run: { workflowId: 'w', runNumber: 1, runBy: 'API', idempotencyKey: 'k', input: null },
      ...inputs,
    },
  }
}

export function expectReturned(outcome: ScriptOutcome): ScriptReturned {
  if (outcome.kind === 'returned') return outcome
  throw new Error(`The script was expected to return: ${JSON.stringify(outcome)}`)
}

export async function waitUntil(isTrue: () => boolean, ms = 180_000): Promise<void> {
  const end = performance.now() + ms
  while (!isTrue()) {
    if (performance.now() > end) throw new Error(`Not true after ${ms} ms.`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
