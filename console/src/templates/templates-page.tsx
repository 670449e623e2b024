import { getRouteApi, Link } from '@tanstack/react-router'
import { LayoutTemplate, Plus } from 'lucide-react'
import { useCallback } from 'react'
import { type Answer, sentenceOf, useOperation } from '../api.ts'
import { ApplicationLogo } from '../applications/application-logo.tsx'
import { LinkButton } from '../ui/button.tsx'
import { Chip } from '../ui/chip.tsx'
import { Empty } from '../ui/empty.tsx'
import { FilterChip } from '../ui/filter-chip.tsx'
import { Page } from '../ui/page.tsx'
import { Loaded } from '../ui/query-state.tsx'
import { SearchBox } from '../ui/search-box.tsx'
import { SkeletonLines } from '../ui/skeleton.tsx'

const route = getRouteApi('/templates')
export type TemplateSummary = Answer<'WorkflowTemplates'>[number]

export function TemplatesPage() {
  const { q, own } = route.useSearch()
  const navigate = route.useNavigate()
  const templates = useOperation(
    'WorkflowTemplates',
    { query: own ? { filterByHostedTemplates: true } : {} },
    { keepPrevious: true },
  )
  const change = useCallback(
    (changes: Record<string, unknown>) =>
      void navigate({ search: (before) => ({ ...before, ...changes }), replace: true }),
    [navigate],
  )
  const search = useCallback((text: string) => change({ q: text || undefined }), [change])
  const term = (q ?? '').toLowerCase()
  const fits = (template: TemplateSummary) =>
    `${template.name} ${template.description} ${template.applications.join(' ')}`.toLowerCase().includes(term)
  return (
    <Page
      title="Templates"
      lead="Workflows that are ready to use. Choose one, connect the applications, deploy."
      actions={
        <LinkButton to="/workflows/new" icon={Plus}>
          New workflow
        </LinkButton>
      }
    >
      <search aria-label="Filters" className="mb-4 flex flex-wrap gap-2">
        <SearchBox className="w-full sm:w-72" value={q ?? ''} onSearch={search} placeholder="Search templates" />
        <FilterChip label="Our own" isOn={own === true} onChange={(isOn) => change({ own: isOn || undefined })} />
      </search>
      <Loaded query={templates} sentence={sentenceOf} skeleton={<SkeletonLines count={8} />}>
        {(all) => {
          const shown = all.filter(fits)
          return shown.length === 0 ? (
            <Empty
              icon={LayoutTemplate}
              title={own ? 'Your organization has no templates yet.' : 'No template matches.'}
            >
              Templates are imported as files. The guide explains how to publish your own.
            </Empty>
          ) : (
            <ul className="grid gap-4 md:grid-cols-2 xl:grid-cols-3">
              {shown.map((template) => (
                <TemplateCard key={`${template.id}${template.state}`} template={template} />
              ))}
            </ul>
          )
        }}
      </Loaded>
    </Page>
  )
}

function TemplateCard({ template }: { template: TemplateSummary }) {
  return (
    <li className="flex flex-col rounded-lg border border-line bg-panel p-4 hover:border-line-strong">
      <div className="mb-3 flex items-center gap-1.5">
        {template.applications.map((shortName) => (
          <ApplicationLogo key={shortName} shortName={shortName} size={28} isAlone />
        ))}
        <span className="ml-auto flex gap-1.5">
          {template.state === 'Draft' ? (
            <Chip tone="amber">Draft</Chip>
          ) : (
            <span className="text-label text-faint">Version {template.version}</span>
          )}
        </span>
      </div>
      <Link to="/templates/$id" params={{ id: template.id }} className="font-medium hover:text-accent hover:underline">
        {template.name}
      </Link>
      <p className="mt-1 mb-4 line-clamp-3 flex-1 text-table text-muted">{template.description}</p>
      <div>
        <LinkButton size="small" to="/workflows/new" search={{ template: template.id }}>
          Use template
        </LinkButton>
      </div>
    </li>
  )
}
