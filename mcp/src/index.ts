// The tools for assistants, once for both ways to reach them: `patchbay mcp` over standard input and output, `/mcp` on the service. They
// speak to the public interface with the keys of whoever calls, so they can do nothing that the caller could not do without them.
import { McpServer } from '@modelcontextprotocol/server'
import type { Client } from '@patchbay/sdk'
import { registerResources } from './resources.ts'
import { type OnFault, registerTool } from './tool.ts'
import { deployWorkflow } from './tools/deploy-workflow.ts'
import { explainFailure } from './tools/explain-failure.ts'
import { getWorkflow } from './tools/get-workflow.ts'
import { listWorkflows } from './tools/list-workflows.ts'
import { previewUpgrade } from './tools/preview-upgrade.ts'
import { proposeChange } from './tools/propose-change.ts'
import { replay } from './tools/replay.ts'
import { runWorkflow } from './tools/run-workflow.ts'
import { searchCatalog } from './tools/search-catalog.ts'
import { searchRuns } from './tools/search-runs.ts'
import { testBlock } from './tools/test-block.ts'
import { installedVersion } from './version.ts'

const tools = [
  searchRuns,
  explainFailure,
  listWorkflows,
  getWorkflow,
  proposeChange,
  testBlock,
  replay,
  previewUpgrade,
  searchCatalog,
  runWorkflow,
  deployWorkflow,
]

const instructions = `Patchbay runs integrations: workflows are chains of JavaScript blocks that call applications.
To fix a failure: search_runs finds it, explain_failure says why, test_block tries a fixed script with the inputs of that run, replay compares it on recorded runs, propose_change saves it as a draft or shows the diff.
Read patchbay://script-api before writing a script. Tools that change something do nothing without confirm: true; ask the person first.`

export type McpOptions = { client: Client; onFault: OnFault }

export function createMcpServer({ client, onFault }: McpOptions): McpServer {
  const server = new McpServer({ name: 'patchbay', title: 'Patchbay', version: installedVersion() }, { instructions })
  for (const one of tools) registerTool(server, { client, onFault }, one)
  registerResources(server)
  return server
}
