// A good request of each operation, about something that does not exist.
import type { OperationName, OperationSpec } from '@patchbay/contract'
import type { Client } from '../../harness/client.ts'
import { type Schema, valid } from '../../harness/from-schema.ts'
import { Random } from '../../harness/random.ts'

const nothing = '00000000-0000-4000-8000-00000000dead'
const block = { uniqueBlockId: nothing, runNumber: '1' }

type Parts = { params?: Record<string, string>; query?: Record<string, string>; body?: object }

/** What the contract alone does not say: values that are asked for, and where an id that is optional goes. */
const given: { readonly [Name in OperationName]?: Parts } = {
  Describe: { query: { name: 'Nothing' } },
  GetSchema: { query: { name: 'Nothing' } },
  ApiKeyUpdate: { body: { ipRestriction: [] } },
  AttributeTagAdd: { params: { entityType: 'account' } },
  ApiAuth: { query: { shortName: 'NOTHING' } },
  ApiAppVault: { query: { shortName: 'NOTHING' } },
  ApiGet: { query: { url: 'nothing/orders' } },
  ApiPost: { query: { url: 'nothing/orders' } },
  VaultKeys: { body: { workflowId: nothing } },
  WorkflowCreate: { body: { workflowTemplateId: nothing } },
  PushWorkflows: { body: { workflows: [{ id: nothing, revision: 1, workflow: { name: 'Another' } }] } },
  BulkAction: { body: { action: 'pause', workflowIds: [nothing], filter: undefined } },
  WorkflowDifference: { query: { from: '1', to: '2' } },
  StopWorkflowRun: { query: { runNumber: '1' } },
  RetryRun: { query: { runNumber: '1' } },
  GetBlockResult: { query: block },
  GetBlockUserLog: { query: block },
  GetBlockSession: { query: block },
  GetBlockCalls: { query: block },
  GetBlockItem: { query: { ...block, itemKey: '1' } },
  FailedItems: { body: { workflowId: nothing } },
  SearchRuns: { body: { workflowId: nothing } },
  RunStatistics: { body: { workflowId: nothing } },
  Stream: { query: { workflowId: nothing } },
}

export function askForNothing(client: Client, spec: OperationSpec) {
  const made = (schema: unknown) => (schema ? valid(schema as Schema, new Random(1), [nothing]) : {}) as object
  const { params, query, body } = given[spec.name as OperationName] ?? {}
  const inPath: Record<string, unknown> = { ...made(spec.params), ...params }
  const path = spec.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(inPath[name])))
  const filled = JSON.stringify({ ...((spec.example?.body as object) ?? made(spec.body)), ...body })
  const sent = spec.body ? filled.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, nothing) : undefined
  return client.send(spec.method, `${path}?${new URLSearchParams(query)}`, sent)
}
