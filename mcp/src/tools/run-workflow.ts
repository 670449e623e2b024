import { Type } from 'typebox'
import { findWorkflow } from '../find-workflow.ts'
import { Confirm, WorkflowId } from '../inputs.ts'
import { ToolRefusal, tool } from '../tool.ts'

export const runWorkflow = tool({
  name: 'run_workflow',
  title: 'Run a workflow',
  description:
    'Start a run of a deployed workflow, which calls real applications. With confirm: true only; without it the answer says what would run. Look at the run afterwards with search_runs.',
  input: Type.Object({ workflowId: WorkflowId, confirm: Confirm }, { additionalProperties: false }),
  changes: true,
  callsApplications: true,
  async run(client, { workflowId, confirm }) {
    const { id, name, workflowState, applications } = await findWorkflow(client, workflowId)
    if (workflowState !== 'deployed')
      throw new ToolRefusal(`"${name}" is ${workflowState}. Only a deployed workflow runs.`)
    if (!confirm) {
      const calls = Object.keys(applications).join(', ') || 'no application'
      const summary = `Nothing was started. With confirm: true a run of "${name}" starts; it may call ${calls}.`
      return { summary, isStarted: false, workflowId: id }
    }
    const started = await client.exchange('RunWorkflow', { body: { workflowId: id } })
    return {
      summary: started.data,
      isStarted: true,
      workflowId: id,
      runNumber: Number(started.headers.get('x-run-number')),
    }
  },
})
