// How the upgrade goes out: in waves, watched, and after a look at each customer's own runs.

import { useNavigate } from '@tanstack/react-router'
import { Rocket } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { sentenceOf, useAction } from '../api.ts'
import { Button } from '../ui/button.tsx'
import { counted } from '../ui/counted.ts'
import { TextField } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { Panel } from '../ui/panel.tsx'
import { type Decision, forgetDecisions, toRequest } from './decisions.ts'
import { WaveDots } from './waves.tsx'

const fields = [
  { name: 'waveSize', label: 'Workflows per wave', min: 1, start: 10, hint: 'The first wave is the trial.' },
  { name: 'waveMinutes', label: 'Minutes between waves', min: 0, start: 10, hint: '0: no pause.' },
  {
    name: 'replayRuns',
    label: 'Runs to replay first',
    min: 0,
    start: 5,
    hint: 'Workflows that would break become conflicts. 0: no replay.',
  },
  {
    name: 'watchRuns',
    label: 'Runs to watch',
    min: 0,
    start: 3,
    hint: 'Rolled back after this many failures in a row.',
  },
  { name: 'failuresMax', label: 'Failures allowed', min: 0, start: 1, hint: 'One more stops the upgrade.' },
] as const

type Settings = Record<(typeof fields)[number]['name'], number>

export function RollOutStep({
  templateId,
  toVersion,
  selected,
  decisions,
  cleanCount,
}: {
  templateId: string
  /** The newest when absent. */
  toVersion: string | undefined
  /** Empty: every clean and resolved one. */
  selected: ReadonlySet<string>
  decisions: ReadonlyMap<string, Decision>
  cleanCount: number
}) {
  const navigate = useNavigate()
  const [settings, setSettings] = useState(
    () => Object.fromEntries(fields.map(({ name, start }) => [name, start])) as Settings,
  )
  const start = useAction('TemplateUpgrade', {
    changes: ['TemplateUpgrades', 'TemplateUpgradePreview'],
    onDone: ({ answer }) => {
      forgetDecisions()
      if (answer) void navigate({ to: '/upgrades/$id', params: { id: answer.upgradeId } })
    },
  })
  const wanted = selected.size === 0 ? decisions : new Map([...decisions].filter(([id]) => selected.has(id)))
  const resolved = [...wanted.values()].filter(({ isComplete }) => isComplete).length
  const count = selected.size === 0 ? cleanCount + resolved : selected.size
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const workflowIds = selected.size === 0 ? {} : { workflowIds: [...selected] }
    start.mutate({
      body: {
        workflowTemplateId: templateId,
        ...(toVersion === undefined ? {} : { toVersion }),
        ...workflowIds,
        ...settings,
        ...toRequest(wanted),
      },
    })
  }
  return (
    <Panel className="p-4">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-5">
          {fields.map(({ name, label, min, hint }) => (
            <TextField
              key={name}
              label={label}
              hint={hint}
              type="number"
              required
              min={min}
              step={name === 'waveMinutes' ? 'any' : 1}
              value={Number.isNaN(settings[name]) ? '' : settings[name]}
              onChange={({ target }) => setSettings((before) => ({ ...before, [name]: target.valueAsNumber }))}
            />
          ))}
        </div>
        <PlannedWaves count={count} {...settings} />
        {start.error && <Notice kind="error">{sentenceOf(start.error)}</Notice>}
        <div className="flex flex-wrap items-center gap-3">
          <Button tone="primary" icon={Rocket} type="submit" isBusy={start.isPending} disabled={count === 0}>
            Start upgrade
          </Button>
          <p className="text-table text-muted">
            {selected.size === 0
              ? `${counted(count, 'workflow')}: all that are clean or resolved.`
              : `${counted(count, 'selected workflow')}.`}
            {selected.size === 0 && <span className="max-sm:hidden"> Select rows above for fewer.</span>}
          </p>
        </div>
      </form>
    </Panel>
  )
}

function PlannedWaves({
  count,
  waveSize,
  waveMinutes,
}: Pick<Settings, 'waveSize' | 'waveMinutes'> & { count: number }) {
  if (count === 0 || !(waveSize >= 1)) return null
  const waves = Math.ceil(count / waveSize)
  const minutes = (waves - 1) * waveMinutes
  const items = Array.from({ length: Math.min(count, 2000) }, (_, index) => ({
    key: String(index),
    wave: 1 + Math.floor(index / waveSize),
    outcome: 'pending' as const,
  }))
  return (
    <div className="flex flex-col gap-2">
      <p className="text-table">
        {counted(waves, 'wave')}
        {minutes > 0 && <span className="text-muted"> · the last one starts after {spanText(minutes)}</span>}
      </p>
      <WaveDots label="Planned waves" items={items} />
    </div>
  )
}

function spanText(minutes: number): string {
  const [unit, size] =
    minutes >= 2880 ? (['days', 1440] as const) : minutes >= 120 ? (['hours', 60] as const) : (['minutes', 1] as const)
  return `${Number((minutes / size).toFixed(1)).toLocaleString('en')} ${unit}`
}
