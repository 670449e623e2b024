import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { SearchX } from 'lucide-react'
import { useCallback } from 'react'
import { sentenceOf } from '../api.ts'
import { ApplicationLogo } from '../applications/application-logo.tsx'
import { type Application, useApplications } from '../applications/applications.ts'
import { RegisterPanel } from '../connections/register-panel.tsx'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { FilterChip } from '../ui/filter-chip.tsx'
import { Page } from '../ui/page.tsx'
import { Loaded } from '../ui/query-state.tsx'
import { SearchBox } from '../ui/search-box.tsx'
import { Skeleton } from '../ui/skeleton.tsx'

const route = getRouteApi('/catalogue')

export function CataloguePage() {
  const { q, tag, register } = route.useSearch()
  const navigate = route.useNavigate()
  const goTo = useNavigate()
  const applications = useApplications()
  const change = useCallback(
    (changes: Record<string, unknown>) =>
      void navigate({ search: (before) => ({ ...before, ...changes }), replace: true }),
    [navigate],
  )
  const search = useCallback((text: string) => change({ q: text || undefined }), [change])
  const close = useCallback(() => change({ register: undefined }), [change])
  const all = applications.data ?? []
  const tags = [...new Set(all.map((application) => application.tag))].toSorted()
  const term = (q ?? '').toLowerCase()
  const shown = all.filter(
    (application) =>
      (!tag || application.tag === tag) &&
      `${application.name} ${application.shortName} ${application.description}`.toLowerCase().includes(term),
  )
  const chosen = all.find((application) => application.id === register)
  return (
    <Page
      title="Catalogue"
      lead="Applications that workflows can talk to. Register one with your credentials to use it."
    >
      <search aria-label="Filters" className="mb-4 flex flex-wrap gap-2">
        <SearchBox className="w-full sm:w-60" value={q ?? ''} onSearch={search} placeholder="Search applications" />
        {tags.map((name) => (
          <FilterChip
            key={name}
            label={name}
            isOn={tag === name}
            onChange={(isOn) => change({ tag: isOn ? name : undefined })}
          />
        ))}
      </search>
      <Loaded query={applications} sentence={sentenceOf} skeleton={<GridSkeleton />}>
        {() =>
          shown.length === 0 ? (
            <Empty
              icon={SearchX}
              title="No application matches."
              action={<Button onClick={() => change({ q: undefined, tag: undefined })}>Clear filters</Button>}
            >
              Use the application HTTP for any REST service, or OAUTH2 for one where a person grants access.
            </Empty>
          ) : (
            <ul className="grid grid-cols-1 gap-px overflow-hidden rounded-lg border border-line bg-panel *:shadow-[0_0_0_1px_var(--line)] sm:grid-cols-2 xl:grid-cols-3">
              {shown.map((application) => (
                <Entry
                  key={application.id}
                  application={application}
                  onRegister={() => change({ register: application.id })}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {chosen && (
        <RegisterPanel
          key={chosen.id}
          application={chosen}
          onClose={close}
          onRegistered={(id) => void goTo({ to: '/connections', search: { id } })}
        />
      )}
    </Page>
  )
}

function Entry({ application, onRegister }: { application: Application; onRegister: () => void }) {
  return (
    <li className="flex min-w-0 items-start gap-3 bg-panel p-4">
      <ApplicationLogo shortName={application.shortName} size={40} />
      <div className="min-w-0 flex-1">
        <p className="flex items-baseline gap-2">
          <span className="truncate font-medium">{application.name}</span>
          <span className="min-w-12 truncate font-mono text-[11px] text-faint">{application.shortName}</span>
        </p>
        <p className="mt-0.5 line-clamp-2 text-table text-muted" title={application.description}>
          {application.description}
        </p>
      </div>
      <Button size="small" onClick={onRegister}>
        Register
      </Button>
    </li>
  )
}

function GridSkeleton() {
  return (
    <div className="grid grid-cols-1 gap-px overflow-hidden rounded-lg border border-line bg-panel *:shadow-[0_0_0_1px_var(--line)] sm:grid-cols-2 xl:grid-cols-3">
      {Array.from({ length: 9 }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the places are alike and never change.
        <div key={index} className="flex h-23 gap-3 bg-panel p-4">
          <Skeleton width={40} height={40} />
          <div className="flex flex-1 flex-col gap-2 pt-1">
            <Skeleton width="40%" />
            <Skeleton width="90%" />
          </div>
        </div>
      ))}
    </div>
  )
}
