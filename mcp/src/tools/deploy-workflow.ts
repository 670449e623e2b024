import { Type } from 'typebox'
import { findWorkflow } from '../find-workflow.ts'
import { Confirm, WorkflowId } from '../inputs.ts'
import { tool } from '../tool.ts'

export const deployWorkflow = tool({
  name: 'deploy_workflow',
  title: 'Deploy a workflow',
  description:
    'Check a workflow in development and let it run: from then on its schedule and webhook start runs. With confirm: true only; without it the answer says what would be deployed.',
  input: Type.Object({ workflowId: WorkflowId, confirm: Confirm }, { additionalProperties: false }),
  changes: true,
  callsApplications: true,
  async run(client, { workflowId, confirm }) {
    const { id, name, workflowState, revision } = await findWorkflow(client, workflowId)
    if (workflowState === 'deployed')
      return { summary: `"${name}" is already deployed.`, isDeployed: true, workflowId: id }
    if (!confirm) {
      const summary = `Nothing was deployed. With confirm: true revision ${revision} of "${name}" is checked and deployed.`
      return { summary, isDeployed: false, workflowId: id }
    }
    await client.deployWorkflow({ params: { id } })
    return { summary: `Deployed revision ${revision} of "${name}".`, isDeployed: true, workflowId: id }
  },
})
