// One box for pages, actions and things. What one types is looked for in the pages at once and in the service a moment later.
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { CornerDownLeft, type LucideIcon, PlugZap, Plus, Search, Workflow } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { call, queryKeyOf } from '../api.ts'
import { useReachesOthers } from '../session/reach.ts'
import { classNames } from '../ui/class-names.ts'
import { allPages } from './navigation.ts'
import { isPaletteOpen } from './palette-state.ts'

type Entry = { id: string; label: string; detail: string; icon: LucideIcon; go: () => void }

export function CommandPalette() {
  const dialog = useRef<HTMLDialogElement>(null)
  const [term, setTerm] = useState('')
  const [chosen, setChosen] = useState(0)
  const entries = useEntries(term.trim())
  useEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  const close = () => isPaletteOpen.set(false)
  const select = (entry: Entry | undefined) => {
    if (!entry) return
    close()
    entry.go()
  }
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setChosen((index) => (entries.length === 0 ? 0 : (index + step + entries.length) % entries.length))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      select(entries[chosen])
    }
  }
  return (
    <dialog
      ref={dialog}
      aria-label="Search"
      onCancel={close}
      onClick={(event) => event.target === dialog.current && close()}
      onKeyDown={onKey}
      className="rising mx-auto mt-[12dvh] mb-auto w-[min(600px,calc(100vw-24px))] overflow-hidden rounded-lg border border-line-strong bg-panel p-0 text-text shadow-float"
    >
      <div className="flex items-center gap-2.5 border-b border-line px-4">
        <Search size={16} aria-hidden className="text-faint" />
        <input
          autoFocus
          role="combobox"
          aria-label="Search"
          aria-expanded
          aria-controls="palette-entries"
          aria-activedescendant={entries[chosen] ? `palette-${chosen}` : undefined}
          placeholder="An order number, a workflow, a page …"
          value={term}
          onChange={(event) => {
            setTerm(event.target.value)
            setChosen(0)
          }}
          className="h-12 w-full bg-transparent text-body outline-none"
        />
      </div>
      <div id="palette-entries" role="listbox" aria-label="Results" className="max-h-96 overflow-y-auto p-1.5">
        {entries.map((entry, index) => (
          <div
            key={entry.id}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onMouseMove={() => setChosen(index)}
            onClick={() => select(entry)}
            onKeyDown={undefined}
            className={classNames(
              'flex h-9 cursor-pointer items-center gap-2.5 rounded-md px-2.5 text-table',
              index === chosen && 'bg-raised',
            )}
          >
            <entry.icon size={15} strokeWidth={1.75} aria-hidden className="shrink-0 text-muted" />
            <span className="min-w-0 truncate">{entry.label}</span>
            <span className="ml-auto shrink-0 text-label text-muted">{entry.detail}</span>
            {index === chosen && <CornerDownLeft size={13} aria-hidden className="shrink-0 text-faint" />}
          </div>
        ))}
      </div>
    </dialog>
  )
}

function useEntries(term: string): Entry[] {
  const navigate = useNavigate()
  const isAcross = useReachesOthers()
  const workflows = useQuery({
    queryKey: [...queryKeyOf('WorkflowsSearch'), 'palette', term],
    queryFn: ({ signal }) =>
      call('WorkflowsSearch', { body: { size: 8, ...(term ? { searchTerm: term } : {}) } }, { signal }),
    placeholderData: (previous) => previous,
  })
  const connections = useQuery({
    queryKey: [...queryKeyOf('RegApplicationsSearch'), 'palette', term],
    queryFn: ({ signal }) => call('RegApplicationsSearch', { body: { size: 5, searchTerm: term } }, { signal }),
    enabled: term !== '',
  })
  const fits = (label: string) => label.toLowerCase().includes(term.toLowerCase())
  const pages: Entry[] = allPages
    .filter(({ label }) => fits(label))
    .map((page) => ({
      id: page.to,
      label: page.label,
      detail: page.key ? `g ${page.key}` : 'Page',
      icon: page.icon,
      go: () => (page.isPlainLink ? window.location.assign(page.to) : void navigate({ to: page.to })),
    }))
  const actions: Entry[] = fits('New workflow')
    ? [
        {
          id: 'new',
          label: 'New workflow',
          detail: 'Action',
          icon: Plus,
          go: () => void navigate({ to: '/workflows/new' }),
        },
      ]
    : []
  const found: Entry[] = (workflows.data?.workflows ?? []).map((workflow) => ({
    id: workflow.id,
    label: workflow.name,
    detail: 'Workflow',
    icon: Workflow,
    go: () => void navigate({ to: '/workflows/$id', params: { id: workflow.id } }),
  }))
  const connected: Entry[] = (connections.data?.regApplications ?? []).map((connection) => ({
    id: connection.id,
    label: connection.tagText || connection.name,
    detail: `Connection · ${connection.name}`,
    icon: PlugZap,
    go: () => void navigate({ to: '/connections', search: { id: connection.id } }),
  }))
  const everywhere: Entry = {
    id: 'everywhere',
    label: `Search runs, requests and logs for “${term}”`,
    detail: 'Search',
    icon: Search,
    go: () => void navigate({ to: '/search', search: { q: term, ...(isAcross ? { all: true } : {}) } }),
  }
  return term === '' ? [...pages, ...actions, ...found] : [...found, ...connected, ...pages, ...actions, everywhere]
}
