import { Tag, X } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { sentenceOf, useAction } from '../api.ts'
import type { WorkflowDetail } from '../definition/workflow-draft.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { Copy } from '../ui/copy.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { Checkbox, TextArea, TextField } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { Section } from '../ui/page.tsx'
import { Panel } from '../ui/panel.tsx'
import { placeRefusal } from '../ui/refusal.ts'
import { exactTime } from '../ui/time.tsx'
import { useWorkflowSave } from './variables-tab.tsx'

/** What the service calls the fields in its sentences. */
const fieldNames = {
  name: ['name'],
  description: ['description'],
  timeout: ['timeoutSeconds'],
  replayRuns: ['replayRuns'],
}

export function SettingsTab({ workflow }: { workflow: WorkflowDetail }) {
  return (
    <div className="max-w-180">
      <General workflow={workflow} />
      <Tags workflow={workflow} />
      <Origin workflow={workflow} />
    </div>
  )
}

function General({ workflow }: { workflow: WorkflowDetail }) {
  const save = useWorkflowSave(workflow)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const timeout = String(form.get('timeout') ?? '').trim()
    save.mutate({
      name: String(form.get('name')),
      description: String(form.get('description')),
      timeoutSeconds: timeout === '' ? null : Number(timeout),
      recordCallBodies: form.get('bodies') === 'on',
      replayRuns: Number(form.get('replayRuns')),
    })
  }
  const refused = placeRefusal(save.error ? sentenceOf(save.error) : undefined, fieldNames)
  return (
    <Section title="General">
      <Panel className="p-5">
        <form onSubmit={submit} className="flex flex-col gap-4">
          <TextField
            label="Name"
            name="name"
            defaultValue={workflow.name}
            required
            maxLength={200}
            error={refused.at.name}
          />
          <TextArea
            label="Description"
            name="description"
            defaultValue={workflow.description}
            error={refused.at.description}
            isOptional
          />
          <TextField
            label="Timeout in seconds"
            hint="Maximum run time, not counting waits. Empty: the default of the installation."
            name="timeout"
            type="number"
            min={1}
            max={86_400}
            defaultValue={workflow.timeoutSeconds ?? ''}
            error={refused.at.timeout}
            isOptional
          />
          <TextField
            label="Runs kept for replay"
            hint="This many recent runs can be replayed with changes, without calling anything. 0: none."
            name="replayRuns"
            type="number"
            min={0}
            max={200}
            defaultValue={workflow.replayRuns}
            error={refused.at.replayRuns}
            required
          />
          <Checkbox
            name="bodies"
            defaultChecked={workflow.recordCallBodies}
            label="Keep the bodies of calls"
            hint="Runs then show what was sent and received. Secrets are masked."
          />
          {refused.beside && <Notice kind="error">{refused.beside}</Notice>}
          <div className="flex justify-end">
            <Button type="submit" tone="primary" isBusy={save.isPending}>
              Save
            </Button>
          </div>
        </form>
      </Panel>
    </Section>
  )
}

function Tags({ workflow }: { workflow: WorkflowDetail }) {
  const [value, setValue] = useState('')
  const changes = ['Workflow', 'WorkflowsSearch'] as const
  const add = useAction('AttributeTagAdd', { changes })
  const remove = useAction('AttributeTagDelete', { changes })
  const params = { entityType: 'workflow', entityId: workflow.id }
  return (
    <Section title="Tags">
      <div className="flex flex-wrap items-center gap-2">
        {workflow.tags.map((tag) => (
          <span
            key={tag}
            className="inline-flex h-7 items-center gap-1 rounded-md border border-line-strong bg-panel pr-1 pl-2 text-table"
          >
            <Tag size={12} aria-hidden className="text-muted" />
            {tag}
            <button
              type="button"
              aria-label={`Remove tag ${tag}`}
              onClick={() => remove.mutate({ params, body: { value: tag } })}
              className="flex size-5 items-center justify-center rounded-sm text-muted hover:bg-raised hover:text-text"
            >
              <X size={12} aria-hidden />
            </button>
          </span>
        ))}
        <form
          onSubmit={(event) => {
            event.preventDefault()
            add.mutate({ params, body: { value } }, { onSuccess: () => setValue('') })
          }}
          className="flex gap-2"
        >
          <TextField
            label="New tag"
            isLabelHidden
            placeholder="New tag"
            required
            value={value}
            onChange={(event) => setValue(event.target.value)}
          />
          <Button type="submit">Add</Button>
        </form>
      </div>
    </Section>
  )
}

function Origin({ workflow }: { workflow: WorkflowDetail }) {
  const [isAsked, setIsAsked] = useState(false)
  const save = useWorkflowSave(workflow)
  const isBound = workflow.workflowTemplateId !== null && !workflow.isCustomizedStructure
  return (
    <Section title="Origin">
      <Panel className="divide-y divide-line">
        <Fact name="Id">
          <Copy text={workflow.id} />
        </Fact>
        <Fact name="Revision">{workflow.revision}</Fact>
        <Fact name="Created">{exactTime(workflow.createDateTimeUTC)}</Fact>
        <Fact name="Changed">{exactTime(workflow.modifyDateTimeUTC)}</Fact>
        <Fact name="Template">
          {workflow.workflowTemplateId === null ? (
            'None: this workflow was built by hand.'
          ) : (
            <span className="flex flex-wrap items-center gap-2">
              Version {workflow.templateVersion ?? 'draft'}
              {workflow.isCustomizedStructure ? ', detached' : ''}
              <LinkButton size="small" to="/templates/$id" params={{ id: workflow.workflowTemplateId }}>
                Open template
              </LinkButton>
              {isBound && (
                <Button size="small" onClick={() => setIsAsked(true)}>
                  Detach from template
                </Button>
              )}
            </span>
          )}
        </Fact>
      </Panel>
      {isAsked && (
        <ConfirmDialog
          title={`Detach ${workflow.name} from its template?`}
          confirm="Detach"
          isBusy={save.isPending}
          error={save.error ? sentenceOf(save.error) : undefined}
          onClose={() => setIsAsked(false)}
          onConfirm={() => save.mutate({ unboundFromTemplate: true }, { onSuccess: () => setIsAsked(false) })}
        >
          Blocks can then be added, removed and connected freely. This cannot be undone.
        </ConfirmDialog>
      )}
    </Section>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex min-h-10 items-center gap-4 px-4 py-1.5 text-table">
      <span className="w-28 shrink-0 text-muted">{name}</span>
      <span className="min-w-0 flex-1">{children}</span>
    </div>
  )
}
