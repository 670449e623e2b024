// Trying one block: its script as it is being written, with the input it had in the last run or one typed by hand.
import { listSizeMax } from '@patchbay/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type Answer, call, useOperation } from '../api.ts'
import { calledNames, useFoundConnections } from '../definition/found-connections.ts'
import type { Block, WorkflowDetail } from '../definition/workflow-draft.ts'

export type TestOutcome = Answer<'TestBlock'>

export function useBlockTest(workflow: WorkflowDetail, block: Block) {
  const [callsApplications, setCallsApplications] = useState(true)
  const found = useFoundConnections(workflow, [block])
  const given = new Set(Object.keys({ ...workflow.applications, ...found }).map((name) => name.toLowerCase()))
  const connections = useOperation('RegApplicationsSearch', { body: { size: listSizeMax } }, { staleTime: 30_000 }).data
  const unconnected = connections ? calledNames([block]).filter((name) => !given.has(name.toLowerCase())) : []
  const test = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: async (input: unknown[]): Promise<TestOutcome> => {
      const webhook = await call('GetSandboxWebhookValue', { params: { id: workflow.id } })
      return (await call('TestBlock', {
        body: {
          script: block.script,
          dataSources: input,
          variables: valuesOf(workflow, block),
          dateLastRun: workflow.dateLastRunUTC,
          ...(webhook === undefined
            ? {}
            : { webhook: { id: '', body: webhook, headers: {}, urlParameters: {}, method: 'POST' } }),
          ...(callsApplications ? { applications: { ...workflow.applications, ...found } } : {}),
        },
      })) as TestOutcome
    },
  })
  return { test, unconnected, callsApplications, setCallsApplications }
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
