// What a block does after its script: end, or wait for a time or an event.
import type { Block, BlockEdit } from '../definition/workflow-draft.ts'
import { Select, TextField } from '../ui/field.tsx'
import { ExpressionField, type FlowPartProps, NumberField, withoutAbsent } from './flow-fields.tsx'

type Wait = NonNullable<Block['wait']>
type Kind = 'none' | 'seconds' | 'until' | 'events'

const beginnings: Record<Kind, BlockEdit['wait']> = {
  none: null,
  seconds: { seconds: 60 },
  until: { until: 'Date.now() + 3600000' },
  events: { events: ['order.paid'] },
}

export function WaitFields({ block, isStructureFree, onEdit }: FlowPartProps) {
  const kind = kindOf(block)
  const change = (changes: { [Name in keyof Wait]?: Wait[Name] | undefined }) =>
    onEdit({ wait: withoutAbsent({ ...block.wait, ...changes }) as Wait })
  return (
    <>
      <Select
        label="Then it"
        disabled={!isStructureFree || (Boolean(block.forEach) && kind === 'none')}
        hint={block.forEach ? 'A block with items cannot wait. Let a block after it wait.' : undefined}
        value={kind}
        onChange={(event) => onEdit({ wait: beginnings[event.target.value as Kind] ?? null })}
        options={[
          { value: 'none', label: 'Ends' },
          { value: 'seconds', label: 'Waits for some time' },
          { value: 'until', label: 'Waits until a date' },
          { value: 'events', label: 'Waits for an event' },
        ]}
      />
      {kind === 'seconds' && (
        <TextField
          label="Seconds"
          hint="A number or an expression. At most 366 days."
          value={String(block.wait?.seconds ?? '')}
          onChange={(event) => change({ seconds: secondsOf(event.target.value) })}
        />
      )}
      {kind === 'until' && (
        <ExpressionField
          label="Until"
          value={block.wait?.until ?? ''}
          placeholder="prepared.dueDate"
          hint="A Date, an ISO text or milliseconds. prepared is what the script returned."
          onChange={(until) => change({ until })}
        />
      )}
      {kind === 'events' && <EventFields wait={block.wait} onChange={change} />}
      {kind === 'events' && <TimeoutFields wait={block.wait} onChange={change} />}
    </>
  )
}

function kindOf({ wait }: Block): Kind {
  if (!wait) return 'none'
  return wait.events ? 'events' : wait.until === undefined ? 'seconds' : 'until'
}

type WaitChange = (changes: { [Name in keyof Wait]?: Wait[Name] | undefined }) => void

function EventFields({ wait, onChange }: { wait: Block['wait']; onChange: WaitChange }) {
  return (
    <>
      <TextField
        label="Events"
        hint="Names, separated by commas. Sent with SendEvent, or with events.send in a script."
        value={(wait?.events ?? []).join(', ')}
        onChange={(event) => onChange({ events: event.target.value.split(',').map((name) => name.trim()) })}
      />
      <ExpressionField
        label="Key"
        value={wait?.key ?? ''}
        placeholder="Datasource[0].orderId"
        hint="Only an event with this key wakes the run."
        onChange={(key) => onChange({ key: key === '' ? undefined : key })}
      />
    </>
  )
}

function TimeoutFields({ wait, onChange }: { wait: Block['wait']; onChange: WaitChange }) {
  return (
    <div className="grid grid-cols-2 gap-3">
      <NumberField
        label="Longest wait, in hours"
        value={wait?.timeoutHours}
        range={[1, 8784]}
        placeholder="168"
        onChange={(timeoutHours) => onChange({ timeoutHours })}
      />
      <Select
        label="When nobody answers"
        value={wait?.onTimeout ?? 'fail'}
        onChange={(event) => onChange({ onTimeout: event.target.value === 'continue' ? 'continue' : undefined })}
        options={[
          { value: 'fail', label: 'The block fails' },
          { value: 'continue', label: 'The run continues' },
        ]}
      />
    </div>
  )
}

function secondsOf(text: string): number | string {
  return /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text
}
