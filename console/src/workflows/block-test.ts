// Testing blocks of a draft: one with the samples of its sources, or all that are missing before it, in order.
import { listSizeMax } from '@patchbay/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Answer, call, operationQuery, useOperation } from '../api.ts'
import { calledNames, useFoundConnections } from '../definition/found-connections.ts'
import { bookOf, keepTest, missingBefore, newestSample, sessionBefore } from '../definition/samples.ts'
import type { Block, WorkflowDetail } from '../definition/workflow-draft.ts'
import type { Samples } from './use-samples.ts'

export type TestOutcome = Answer<'TestBlock'>
/** Of a test of several blocks, the one it is at, or the one that failed. */
export type TestStep = { block: Block; outcome: TestOutcome }

type TestWish = {
  /** Typed by hand; otherwise the samples of the sources. */
  input?: unknown[]
  /** Also the blocks before that have no sample yet. */
  isUpToHere?: boolean
}

export function useBlockTest(workflow: WorkflowDetail, chain: readonly Block[], block: Block, samples: Samples) {
  const [callsApplications, setCallsApplications] = useState(true)
  const [testing, setTesting] = useState<string>()
  const client = useQueryClient()
  const found = useFoundConnections(workflow, chain)
  const given = new Set(Object.keys({ ...workflow.applications, ...found }).map((name) => name.toLowerCase()))
  const connections = useOperation('RegApplicationsSearch', { body: { size: listSizeMax } }, { staleTime: 30_000 }).data
  const unconnected = connections ? calledNames([block]).filter((name) => !given.has(name.toLowerCase())) : []
  const book = bookOf(workflow.id)

  const testOne = async (tested: Block, input: unknown[], webhook: unknown): Promise<TestOutcome> => {
    setTesting(tested.blockName)
    const outcome = (await call('TestBlock', {
      body: {
        script: tested.script,
        dataSources: input,
        variables: valuesOf(workflow, tested),
        sessionVars: sessionBefore(book.get(), tested),
        dateLastRun: workflow.dateLastRunUTC,
        ...(webhook === undefined
          ? {}
          : { webhook: { id: '', body: webhook, headers: {}, urlParameters: {}, method: 'POST' } }),
        ...(callsApplications ? { applications: { ...workflow.applications, ...found } } : {}),
      },
    })) as TestOutcome
    if (outcome.success) {
      keepTest(book, tested.uniqueBlockId, { value: outcome.result, sessionVars: outcome.sessionVars })
    }
    return outcome
  }

  /** What the service recorded for a block further back, whose samples this panel does not show. */
  const readRecorded = async (uniqueBlockId: string) => {
    const runNumber = book.get().runNumber ?? workflow.lastRunNumber
    if (runNumber === null) return undefined
    const parts = { params: { workflowId: workflow.id }, query: { uniqueBlockId, runNumber } }
    const answer = await client
      .fetchQuery({ ...operationQuery('GetBlockResult', parts), staleTime: 30_000, retry: false })
      .catch(() => null)
    return answer?.success ? { value: answer.result, origin: { kind: 'run' as const, runNumber } } : undefined
  }

  const test = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: async ({ input, isUpToHere }: TestWish): Promise<TestStep> => {
      const webhook = await call('GetSandboxWebhookValue', { params: { id: workflow.id } })
      const known = new Map(
        await Promise.all(
          (isUpToHere ? chain : []).map(
            async ({ uniqueBlockId: id }) =>
              [id, newestSample(book.get(), id, samples.of(id) ?? (await readRecorded(id)))] as const,
          ),
        ),
      )
      const sampleOf = (id: string) => newestSample(book.get(), id, known.get(id) ?? samples.of(id))
      const inputOf = (tested: Block) => tested.dataSources.map((source) => sampleOf(source)?.value ?? null)
      if (isUpToHere) {
        for (const before of missingBefore(chain, block.uniqueBlockId, (id) => sampleOf(id) !== undefined)) {
          const outcome = await testOne(before, inputOf(before), webhook)
          if (!outcome.success) return { block: before, outcome }
        }
      }
      return { block, outcome: await testOne(block, input ?? inputOf(block), webhook) }
    },
    onSettled: () => setTesting(undefined),
  })
  return { test, testing, unconnected, callsApplications, setCallsApplications }
}

/** Values as the run would give them; masked secrets stay masked, because nobody can read them here. */
function valuesOf(workflow: WorkflowDetail, block: Block): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(block.variables).map(([name, binding]) => [
      name,
      binding.variableSource === 'Workflow'
        ? (workflow.variables[binding.variableName ?? '']?.value ?? null)
        : (binding.value ?? null),
    ]),
  )
}
