import { Type } from 'typebox'
import { counted } from '../counted.ts'
import { findWorkflow } from '../find-workflow.ts'
import { RunNumber, WorkflowId } from '../inputs.ts'
import { tool } from '../tool.ts'

export const getWorkflow = tool({
  name: 'get_workflow',
  title: 'Get a workflow',
  description:
    'The whole workflow: blocks with scripts, variables (passwords masked), applications, revision. With runNumber as it was at that run.',
  input: Type.Object({ workflowId: WorkflowId, runNumber: Type.Optional(RunNumber) }, { additionalProperties: false }),
  async run(client, { workflowId, runNumber }) {
    const workflow = await findWorkflow(client, workflowId, runNumber)
    return {
      summary: `"${workflow.name}" is ${workflow.workflowState}, revision ${workflow.revision}, ${counted(workflow.chain.length, 'block')}.`,
      workflow,
    }
  },
})
