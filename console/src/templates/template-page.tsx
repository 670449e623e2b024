import { getRouteApi, Link } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense } from 'react'
import { sentenceOf, useOperation } from '../api.ts'
import { ApplicationLogo } from '../applications/application-logo.tsx'
import { useApplications } from '../applications/applications.ts'
import { LinkButton } from '../ui/button.tsx'
import { Chip } from '../ui/chip.tsx'
import { counted } from '../ui/counted.ts'
import { Page } from '../ui/page.tsx'
import { PageOf } from '../ui/page-of.tsx'
import { Panel } from '../ui/panel.tsx'
import { Skeleton } from '../ui/skeleton.tsx'

const BlockGraph = lazy(() => import('../workflows/block-graph.tsx').then((module) => ({ default: module.BlockGraph })))
const route = getRouteApi('/templates/$id')

export function TemplatePage() {
  const { id } = route.useParams()
  const { draft } = route.useSearch()
  const template = useOperation('WorkflowTemplate', { params: { id }, query: draft ? { isDraft: true } : {} })
  const catalogue = useApplications().data ?? []
  const used = useOperation('WorkflowsSearch', { body: { workflowTemplateId: id, size: 1 } })
  return (
    <PageOf query={template} title="Template" back={{ label: 'Templates', to: '/templates' }} sentence={sentenceOf}>
      {(data) => (
        <Page
          title={data.name}
          back={{ label: 'Templates', link: { to: '/templates' } }}
          state={
            data.state === 'Draft' ? <Chip tone="amber">Draft</Chip> : <Chip tone="grey">Version {data.version}</Chip>
          }
          lead={data.description}
          actions={
            <LinkButton tone="primary" to="/workflows/new" search={{ template: id }}>
              Use template
            </LinkButton>
          }
        >
          <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_320px]">
            <Panel className="relative h-105 overflow-hidden">
              <div className="absolute inset-0">
                <Suspense fallback={<Skeleton width="100%" height={420} />}>
                  <BlockGraph label={`Blocks of ${data.name}`} blocks={data.chain} />
                </Suspense>
              </div>
            </Panel>
            <div className="flex flex-col gap-6">
              <Facts title="What it needs">
                {data.applications.length === 0 && <li className="text-muted">No application.</li>}
                {data.applications.map((shortName) => (
                  <li key={shortName} className="flex items-center gap-2.5">
                    <ApplicationLogo shortName={shortName} size={24} />
                    {catalogue.find((application) => application.shortName === shortName)?.name ?? shortName}
                  </li>
                ))}
              </Facts>
              {data.variables.length > 0 && (
                <Facts title="What you set">
                  {data.variables.map((variable) => (
                    <li key={variable.shortName}>
                      {variable.displayName}{' '}
                      {!variable.required && <span className="text-label text-faint">optional</span>}
                      {variable.description && (
                        <span className="block text-label text-muted">{variable.description}</span>
                      )}
                    </li>
                  ))}
                </Facts>
              )}
              <Facts title="Blocks">
                {data.chain.map((block) => (
                  <li key={block.uniqueBlockId} className="flex gap-2">
                    <span className="w-5 text-right font-mono text-label text-faint">{block.no}</span> {block.blockName}
                  </li>
                ))}
              </Facts>
              {(used.data?.total ?? 0) > 0 && (
                <Link to="/workflows" search={{ template: id }} className="text-table text-accent hover:underline">
                  {counted(used.data?.total ?? 0, 'workflow')} of this account
                </Link>
              )}
            </div>
          </div>
        </Page>
      )}
    </PageOf>
  )
}

function Facts({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h2 className="mb-2 font-semibold">{title}</h2>
      <ul className="flex flex-col gap-2 text-table">{children}</ul>
    </section>
  )
}
