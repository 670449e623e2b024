// A new workflow: from a template in two steps, or empty. What is chosen stands in the address, so nothing is lost on the way.
import { getRouteApi } from '@tanstack/react-router'
import { LayoutTemplate } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { type Answer, sentenceOf, useAction, useOperation } from '../api.ts'
import { ApplicationLogo } from '../applications/application-logo.tsx'
import { Button, LinkButton } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { Page, Section } from '../ui/page.tsx'
import { Panel } from '../ui/panel.tsx'
import { Loaded } from '../ui/query-state.tsx'
import { SkeletonLines } from '../ui/skeleton.tsx'
import { TemplateWizard } from './template-wizard.tsx'

const route = getRouteApi('/workflows/new')

export function NewWorkflowPage() {
  const { template } = route.useSearch()
  return (
    <Page title="New workflow" back={{ label: 'Workflows', link: { to: '/workflows' } }}>
      {template === undefined ? <Beginnings /> : <FromTemplate id={template} />}
    </Page>
  )
}

function FromTemplate({ id }: { id: string }) {
  const template = useOperation('WorkflowTemplate', { params: { id }, query: {} })
  return (
    <Loaded query={template} sentence={sentenceOf} skeleton={<SkeletonLines count={6} />}>
      {(data) => <TemplateWizard key={data.id} template={data} />}
    </Loaded>
  )
}

function Beginnings() {
  const templates = useOperation('WorkflowTemplates', { query: {} })
  return (
    <div className="grid grid-cols-1 items-start gap-8 lg:grid-cols-[minmax(0,1fr)_360px]">
      <Section title="From a template">
        <Panel>
          <Loaded
            query={templates}
            sentence={sentenceOf}
            skeleton={
              <div className="p-4">
                <SkeletonLines count={6} />
              </div>
            }
          >
            {(all) => (
              <ul className="divide-y divide-line">
                {all
                  .filter(({ state }) => state === 'Published')
                  .map((template) => (
                    <TemplateLine key={template.id} template={template} />
                  ))}
              </ul>
            )}
          </Loaded>
        </Panel>
      </Section>
      <Section title="From blocks">
        <Panel className="p-4">
          <FromBlocks />
        </Panel>
      </Section>
    </div>
  )
}

function TemplateLine({ template }: { template: Answer<'WorkflowTemplates'>[number] }) {
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3">
      <span className="flex w-16 shrink-0 gap-1">
        {template.applications.slice(0, 2).map((shortName) => (
          <ApplicationLogo key={shortName} shortName={shortName} size={28} isAlone />
        ))}
        {template.applications.length === 0 && <LayoutTemplate size={20} aria-hidden className="text-faint" />}
      </span>
      <span className="min-w-0 flex-1 basis-52">
        <span className="block font-medium">{template.name}</span>
        <span className="line-clamp-2 sm:line-clamp-1 text-table text-muted">{template.description}</span>
      </span>
      <LinkButton size="small" to="/workflows/new" search={{ template: template.id }}>
        Use template
      </LinkButton>
    </li>
  )
}

function FromBlocks() {
  const [name, setName] = useState('')
  const navigate = route.useNavigate()
  const create = useAction('WorkflowCreate', {
    changes: ['WorkflowsSearch', 'Workflows'],
    onDone: ({ answer }) => void navigate({ to: '/workflows/$id', params: { id: answer as string } }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const first = { blockName: 'Code', script: "console.log('Hello')\nreturn { hello: 'world' }\n" }
    create.mutate({ body: { name, chain: [first] } })
  }
  return (
    <form className="flex flex-col gap-4" onSubmit={submit}>
      <p className="text-table text-muted">
        Starts with one script. Add more blocks from the catalogue and connect them.
      </p>
      <TextField label="Name" value={name} onChange={(event) => setName(event.target.value)} required maxLength={200} />
      {create.error && <Notice kind="error">{sentenceOf(create.error)}</Notice>}
      <Button type="submit" tone="primary" isBusy={create.isPending}>
        Save
      </Button>
    </form>
  )
}
