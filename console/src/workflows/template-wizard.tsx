import { listSizeMax } from '@patchbay/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { type Answer, useOperation } from '../api.ts'
import { ApplicationLogo } from '../applications/application-logo.tsx'
import { type Application, useApplications } from '../applications/applications.ts'
import { RegisterPanel } from '../connections/register-panel.tsx'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { Select, TextField } from '../ui/field.tsx'
import { Panel } from '../ui/panel.tsx'
import { SetUpStep } from './template-setup.tsx'

const route = getRouteApi('/workflows/new')
type Template = Answer<'WorkflowTemplate'>
const steps = ['Connect', 'Set up'] as const

export function TemplateWizard({ template }: { template: Template }) {
  const search = route.useSearch() as Record<string, string | undefined>
  const navigate = route.useNavigate()
  const step = search['step'] === '2' ? 2 : 1
  const set = (changes: Record<string, string | undefined>, isNewPlace = false) =>
    void navigate({ search: (before) => ({ ...before, ...changes }), replace: !isNewPlace })
  const name = search['name'] ?? template.name
  const chosen = useChosenConnections(template, search, set)
  return (
    <div className="max-w-160">
      <ol aria-label="Steps" className="mb-4 flex gap-4 text-table">
        {steps.map((label, index) => (
          <li
            key={label}
            aria-current={step === index + 1 ? 'step' : undefined}
            className={classNames(
              'flex items-center gap-2',
              step === index + 1 ? 'font-medium text-text' : 'text-muted',
            )}
          >
            <span
              className={classNames(
                'flex size-5 items-center justify-center rounded-full text-label font-semibold',
                step >= index + 1 ? 'bg-accent-fill text-on-accent' : 'bg-raised text-muted',
              )}
            >
              {index + 1}
            </span>
            {label}
          </li>
        ))}
      </ol>
      {step === 1 ? (
        <ConnectStep
          template={template}
          name={name}
          chosen={chosen}
          onChange={set}
          onNext={() => set({ step: '2', name }, true)}
        />
      ) : (
        <SetUpStep template={template} name={name} chosen={chosen} onBack={() => set({ step: undefined }, true)} />
      )}
    </div>
  )
}

/** Where there is exactly one connection for an application, nobody is asked. */
function useChosenConnections(
  template: Template,
  search: Record<string, string | undefined>,
  set: (changes: Record<string, string | undefined>) => void,
) {
  const connections = useOperation('RegApplicationsSearch', { body: { size: listSizeMax } }).data?.regApplications
  const choicesOf = (shortName: string) =>
    (connections ?? []).filter(
      (connection) => connection.shortName.toLowerCase() === shortName.toLowerCase() && connection.isAuthenticated,
    )
  const missing = template.applications.filter(
    (shortName) => search[`app.${shortName}`] === undefined && choicesOf(shortName).length === 1,
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: only once the connections are known.
  useEffect(() => {
    if (missing.length > 0)
      set(Object.fromEntries(missing.map((shortName) => [`app.${shortName}`, choicesOf(shortName)[0]?.id])))
  }, [connections])
  return template.applications.map((shortName) => ({
    shortName,
    choices: choicesOf(shortName),
    id: search[`app.${shortName}`],
    isLoading: connections === undefined,
  }))
}

type Chosen = ReturnType<typeof useChosenConnections>

function ConnectStep({
  template,
  name,
  chosen,
  onChange,
  onNext,
}: {
  template: Template
  name: string
  chosen: Chosen
  onChange: (changes: Record<string, string | undefined>) => void
  onNext: () => void
}) {
  const catalogue = useApplications().data ?? []
  const [registering, setRegistering] = useState<Application>()
  const isOpen = chosen.some(({ choices, isLoading }) => !isLoading && choices.length === 0)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onNext()
  }
  return (
    <Panel className="p-5">
      <form onSubmit={submit} className="flex flex-col gap-5">
        <p className="text-table text-muted">{template.description}</p>
        <TextField
          label="Name"
          value={name}
          onChange={(event) => onChange({ name: event.target.value })}
          required
          maxLength={200}
        />
        {chosen.map((choice) => (
          <ConnectionChoice
            key={choice.shortName}
            choice={choice}
            application={catalogue.find((item) => item.shortName.toLowerCase() === choice.shortName.toLowerCase())}
            onChange={(id) => onChange({ [`app.${choice.shortName}`]: id })}
            onRegister={setRegistering}
          />
        ))}
        <div className="flex flex-wrap items-center justify-end gap-3">
          {isOpen && <p className="mr-auto text-label text-muted">Register what the workflow talks to, then go on.</p>}
          {/* What comes first is the one that stands out. */}
          <Button type="submit" tone={isOpen ? 'secondary' : 'primary'}>
            Next
          </Button>
        </div>
      </form>
      {registering && (
        <RegisterPanel
          application={registering}
          onClose={() => setRegistering(undefined)}
          onRegistered={(id) => {
            onChange({ [`app.${registering.shortName}`]: id })
            setRegistering(undefined)
          }}
        />
      )}
    </Panel>
  )
}

function ConnectionChoice({
  choice,
  application,
  onChange,
  onRegister,
}: {
  choice: Chosen[number]
  /** Undefined where the catalogue does not know it. */
  application: Application | undefined
  onChange: (id: string | undefined) => void
  onRegister: (application: Application) => void
}) {
  const { shortName, choices, id, isLoading } = choice
  return (
    <div className="flex items-end gap-3">
      <ApplicationLogo shortName={shortName} size={32} />
      <Select
        className="min-w-0 flex-1"
        label={application && application.name !== shortName ? `${application.name} (${shortName})` : shortName}
        value={id ?? ''}
        onChange={(event) => onChange(event.target.value || undefined)}
        options={[
          {
            value: '',
            label: isLoading ? 'Loading …' : choices.length === 0 ? 'Nothing registered yet' : 'Choose later',
          },
          ...choices.map((connection) => ({
            value: connection.id,
            label: connection.tagText || connection.name,
          })),
        ]}
      />
      {application && (
        <Button
          tone={!isLoading && choices.length === 0 ? 'primary' : 'secondary'}
          onClick={() => onRegister(application)}
        >
          Register
        </Button>
      )}
    </div>
  )
}
