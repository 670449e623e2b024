import { CalendarClock } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { sentenceOf, useAction } from '../api.ts'
import type { WorkflowDetail } from '../definition/workflow-draft.ts'
import { Button } from '../ui/button.tsx'
import { Select, TextField } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { Panel } from '../ui/panel.tsx'
import { Time } from '../ui/time.tsx'
import { toast } from '../ui/toast.tsx'
import { nextTicks } from './next-ticks.ts'
import { scheduleWords } from './schedule-words.ts'
import { usualSchedules } from './usual-schedules.ts'

export function ScheduleTab({ workflow }: { workflow: WorkflowDetail }) {
  const [frequency, setFrequency] = useState(workflow.scheduleFrequency ?? 'hourly')
  const [timeZone, setTimeZone] = useState(
    // Who schedules for the first time means the clock on the wall.
    workflow.timeZone ?? (workflow.isScheduled ? '' : Intl.DateTimeFormat().resolvedOptions().timeZone),
  )
  const change = useAction('WorkflowScheduler', {
    changes: ['Workflow', 'WorkflowsSearch'],
    onDone: (_done, { body }) => toast.done(body.isScheduled ? 'The schedule is saved.' : 'The schedule is disabled.'),
  })
  const isUsual = usualSchedules.some(({ value }) => value === frequency)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate({
      body: { workflowId: workflow.id, isScheduled: true, scheduleFrequency: frequency, timeZone: timeZone || null },
    })
  }
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,480px)_minmax(0,1fr)]">
      <Panel className="p-5">
        <div className="mb-4 flex items-center gap-2.5">
          <CalendarClock size={18} strokeWidth={1.75} aria-hidden className="text-muted" />
          <p className="font-medium">
            {workflow.isScheduled && workflow.scheduleFrequency
              ? scheduleWords(workflow.scheduleFrequency)
              : 'Not scheduled'}
          </p>
        </div>
        {workflow.workflowState !== 'deployed' ? (
          <Notice kind="note">Deploy the workflow first. Only deployed workflows run on a schedule.</Notice>
        ) : (
          <form onSubmit={submit} className="flex flex-col gap-4">
            <Select
              label="How often"
              value={isUsual ? frequency : 'cron'}
              onChange={(event) => setFrequency(event.target.value === 'cron' ? '30 5 * * *' : event.target.value)}
              options={[...usualSchedules, { value: 'cron', label: 'By cron expression' }]}
            />
            {!isUsual && (
              <TextField
                label="Cron expression"
                hint="Minute, hour, day of month, month, day of week."
                value={frequency}
                onChange={(event) => setFrequency(event.target.value)}
                inputClassName="font-mono"
              />
            )}
            <TimeZoneField value={timeZone} onChange={setTimeZone} />
            {change.error && <Notice kind="error">{sentenceOf(change.error)}</Notice>}
            <div className="flex justify-end gap-2">
              {workflow.isScheduled && (
                <Button
                  onClick={() => change.mutate({ body: { workflowId: workflow.id, isScheduled: false } })}
                  isBusy={change.isPending}
                >
                  Disable
                </Button>
              )}
              <Button type="submit" tone="primary" isBusy={change.isPending}>
                Save
              </Button>
            </div>
          </form>
        )}
      </Panel>
      {workflow.workflowState === 'deployed' && (
        <NextRuns workflow={workflow} frequency={frequency} timeZone={timeZone || 'UTC'} />
      )}
    </div>
  )
}

function TimeZoneField({ value, onChange }: { value: string; onChange: (zone: string) => void }) {
  return (
    <>
      <TextField
        label="Time zone"
        hint="Such as Europe/Oslo. Empty: UTC."
        value={value}
        onChange={(event) => onChange(event.target.value)}
        list="time-zones"
        isOptional
      />
      <datalist id="time-zones">
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  )
}

function NextRuns({
  workflow,
  frequency,
  timeZone,
}: {
  workflow: WorkflowDetail
  frequency: string
  timeZone: string
}) {
  const ticks = nextTicks(frequency, timeZone, 5)
  return (
    <div>
      <h2 className="mb-2 text-section font-semibold">
        {workflow.isScheduled ? 'Next runs' : 'Would run'}{' '}
        <span className="text-label font-normal text-muted">{timeZone}</span>
      </h2>
      {ticks === undefined ? (
        <p className="text-muted">Save to see the times.</p>
      ) : (
        <ol className="flex flex-col gap-1.5 text-table">
          {ticks.map((tick) => (
            <li key={tick} className="flex gap-3">
              <span className="w-56 tabular-nums">{timeInZone(tick, timeZone)}</span>
              <span className="text-muted">
                <Time iso={tick} />
              </span>
            </li>
          ))}
        </ol>
      )}
      {workflow.isScheduled && workflow.nextRunDateTimeUTC && (
        <p className="mt-3 text-label text-muted">
          {workflow.isAutoRunPaused ? 'Paused. Next try' : 'Next run'} <Time iso={workflow.nextRunDateTimeUTC} />.
        </p>
      )}
    </div>
  )
}

/** As the schedule means it: in its own zone, whatever the browser's is. */
function timeInZone(iso: string, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
  })
  return format.format(new Date(iso))
}
