// Which recorded run stands in for blocks that nobody tested: the last one, or one that somebody wants to work with.
import { useOperation } from '../api.ts'
import { bookOf, chooseRun } from '../definition/samples.ts'
import type { WorkflowDetail } from '../definition/workflow-draft.ts'
import { Select } from '../ui/field.tsx'
import { useStore } from '../ui/store.ts'
import { relativeTime } from '../ui/time.tsx'

const runsShown = 20

export function SampleRun({ workflow }: { workflow: WorkflowDetail }) {
  const { runNumber } = useStore(bookOf(workflow.id))
  const runs = useOperation(
    'GetRunHistory',
    { params: { workflowId: workflow.id }, body: { page: 0, size: runsShown } },
    { enabled: workflow.lastRunNumber !== null, staleTime: 10_000 },
  ).data?.items
  if (workflow.lastRunNumber === null || !runs) return null
  const numbers = runs.map(({ lockVersionNumber }) => lockVersionNumber)
  return (
    <Select
      label="Data of run"
      isLabelHidden
      className="w-40"
      value={runNumber === undefined ? '' : String(runNumber)}
      onChange={(event) => chooseRun(workflow.id, event.target.value === '' ? undefined : Number(event.target.value))}
      options={[
        { value: '', label: 'Newest data' },
        ...(runNumber === undefined || numbers.includes(runNumber)
          ? []
          : [{ value: String(runNumber), label: `Run ${runNumber}` }]),
        ...runs.map(({ lockVersionNumber, status, startDateTimeUTC }) => ({
          value: String(lockVersionNumber),
          label: `Run ${lockVersionNumber} · ${status} · ${relativeTime(startDateTimeUTC)}`,
        })),
      ]}
    />
  )
}
