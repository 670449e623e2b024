// What clients need while they run: names, limits and patterns. This file imports nothing, so that whoever needs one of them does not load every
// schema with it.

/** The most that any answer lists; whoever has more asks for pages. */
export const listSizeMax = 1000

/** The most blocks that a workflow has. */
export const blocksMax = 500

/** What answers show instead of a stored password. Sent back it means: as it is. */
export const maskedValue = '********'

/** The fields of a chain element that say when and how often its block runs, and what its failure means. */
export const flowFieldNames = [
  'runWhen',
  'needs',
  'forEach',
  'subWorkflow',
  'wait',
  'retry',
  'onError',
  'timeoutSeconds',
] as const

export const workflowStates = ['inDevelopment', 'deployed', 'archived'] as const
export const runStatuses = ['Pending', 'Processing', 'Waiting', 'Ready', 'Error', 'Stopping', 'Stopped'] as const
/** How many workflows BulkAction takes: more would outlast a request. */
export const bulkWorkflowsMax = 1000
/** What BulkAction does to each of many workflows. */
export const bulkActions = ['retryFailed', 'pause', 'resume', 'deploy', 'tag'] as const

/** The search index stores their positions in this list, so new ones are added at the end. */
export const searchPlaces = ['webhook', 'result', 'log', 'error', 'call'] as const

// Any RFC 9562 layout is accepted: ids of other systems' making (fixed GUIDs in catalogues) need not be version 4 or 7.
export const guidPattern = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'

const guid = new RegExp(guidPattern)

export function isGuid(value: unknown): value is string {
  return typeof value === 'string' && guid.test(value)
}
