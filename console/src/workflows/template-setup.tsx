// The second step of the wizard: values, how the workflow starts, and Deploy.
import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { type Answer, call, forget, sentenceOf } from '../api.ts'
import { ValueField } from '../definition/value-field.tsx'
import { usualSchedules } from '../schedules/usual-schedules.ts'
import { Button } from '../ui/button.tsx'
import { Select } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { Panel } from '../ui/panel.tsx'
import { toast } from '../ui/toast.tsx'

const route = getRouteApi('/workflows/new')
type Template = Answer<'WorkflowTemplate'>
const byHand = 'hand'
const byWebhook = 'webhook'

type Chosen = readonly { shortName: string; id: string | undefined }[]

export function SetUpStep({
  template,
  name,
  chosen,
  onBack,
}: {
  template: Template
  name: string
  chosen: Chosen
  onBack: () => void
}) {
  const navigate = route.useNavigate()
  const queries = useQueryClient()
  const [values, setValues] = useState<Record<string, unknown>>(() =>
    Object.fromEntries(
      template.variables
        .filter((variable) => variable.default !== undefined)
        .map((variable) => [variable.shortName, variable.default]),
    ),
  )
  const [start, setStart] = useState<string>(byHand)
  const [busyWith, setBusyWith] = useState<'Save' | 'Deploy'>()
  const [refusal, setRefusal] = useState<string>()
  const finish = async (how: 'Save' | 'Deploy') => {
    setBusyWith(how)
    setRefusal(undefined)
    try {
      const id = await call('WorkflowCreate', { body: bodyOf(template, name, chosen, values) })
      const tab = how === 'Deploy' ? await deploy(id as string, name, start) : undefined
      await forget(queries, ['WorkflowsSearch', 'Workflows', 'Overview'])
      await navigate({ to: '/workflows/$id', params: { id: id as string }, search: { tab } })
    } catch (error) {
      setRefusal(sentenceOf(error))
      setBusyWith(undefined)
    }
  }
  return (
    <Panel className="p-5">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void finish('Deploy')
        }}
        className="flex flex-col gap-5"
      >
        {template.variables.map((variable) => (
          <ValueField
            key={variable.shortName}
            declared={{
              ...variable,
              displayName: variable.displayName || variable.shortName,
              options: variable.options?.map((option) => ({ value: option.value, label: option.displayName })),
            }}
            value={values[variable.shortName]}
            onChange={(value) => setValues((before) => ({ ...before, [variable.shortName]: value }))}
          />
        ))}
        <Select
          label="Starts"
          hint={start === byWebhook ? 'Its address and secret come next.' : 'Takes effect when you deploy.'}
          value={start}
          onChange={(event) => setStart(event.target.value)}
          options={[{ value: byHand, label: 'By hand' }, ...usualSchedules, { value: byWebhook, label: 'By webhook' }]}
        />
        {refusal && <Notice kind="error">{refusal}</Notice>}
        <div className="flex items-center justify-end gap-2">
          <Button tone="quiet" onClick={onBack} className="mr-auto">
            Back
          </Button>
          <Button isBusy={busyWith === 'Save'} disabled={busyWith !== undefined} onClick={() => void finish('Save')}>
            Save
          </Button>
          <Button type="submit" tone="primary" isBusy={busyWith === 'Deploy'} disabled={busyWith !== undefined}>
            Deploy
          </Button>
        </div>
      </form>
    </Panel>
  )
}

/** Deploys and schedules; answers the tab to go on with. What is missing is said on the workflow's own page, where it is kept. */
async function deploy(id: string, name: string, start: string): Promise<string | undefined> {
  try {
    await call('DeployWorkflow', { params: { id } })
    if (start === byWebhook || start === byHand) {
      toast.done(`${name} is deployed.`)
      return start === byWebhook ? 'webhook' : undefined
    }
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
    const body = { workflowId: id, isScheduled: true, scheduleFrequency: start, timeZone }
    await call('WorkflowScheduler', { body })
    toast.done(`${name} is deployed and scheduled.`)
    return 'schedule'
  } catch (error) {
    toast.error(sentenceOf(error))
    return undefined
  }
}

function bodyOf(template: Template, name: string, chosen: Chosen, values: Record<string, unknown>) {
  const given = Object.entries(values).filter(([, value]) => value !== '' && value !== null && value !== undefined)
  return {
    workflowTemplateId: template.id,
    name,
    applications: Object.fromEntries(
      chosen.filter(({ id }) => id !== undefined).map(({ shortName, id }) => [shortName, id]),
    ),
    variables: Object.fromEntries(given.map(([variable, value]) => [variable, { value }])),
  }
}
