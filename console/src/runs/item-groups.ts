import type { Answer } from '../api.ts'

type FailedItem = Answer<'FailedItems'>['items'][number]
type Group = Pick<FailedItem, 'accountId' | 'workflowId' | 'runNumber' | 'uniqueBlockId'> & { keys: string[] }

/** Items of one block of one run are dismissed or retried together. */
export function groupItems(items: readonly FailedItem[]): Group[] {
  const groups = Map.groupBy(items, (item) => `${item.workflowId} ${item.runNumber} ${item.uniqueBlockId}`)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (!first) return []
    const { accountId, workflowId, runNumber, uniqueBlockId } = first
    return [{ accountId, workflowId, runNumber, uniqueBlockId, keys: group.map(({ key }) => key) }]
  })
}
