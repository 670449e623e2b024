// Views of the list: the usual ones, and those that a person keeps under a name. Each is an address, so it can also be sent to somebody.
import { Link } from '@tanstack/react-router'
import { BookmarkPlus, X } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { readBrowserData, writeBrowserData } from '../session/browser-data.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { isShown, usualViews, type View, type WorkflowFilters } from './workflow-filter.ts'

const place = 'workflow-views'

function readViews(): readonly View[] {
  const kept = readBrowserData(place)
  return Array.isArray(kept) ? (kept as View[]) : []
}

/** `scope`: whose workflows the views are about. */
export function SavedViews({ filters, scope }: { filters: WorkflowFilters; scope?: ReactNode }) {
  const [own, setOwn] = useState(readViews)
  const [isNaming, setIsNaming] = useState(false)
  const keep = (views: readonly View[]) => {
    writeBrowserData(place, views)
    setOwn(views)
  }
  const isKnown = [...usualViews, ...own].some((view) => isShown(view, filters))
  return (
    <nav aria-label="Views" className="mb-3 flex flex-wrap items-center gap-1">
      {scope && <span className="mr-2">{scope}</span>}
      {usualViews.map((view) => (
        <ViewLink key={view.name} view={view} filters={filters} />
      ))}
      {own.map((view) => (
        <span key={view.name} className="flex items-center">
          <ViewLink view={view} filters={filters} />
          <IconButton
            icon={X}
            label={`Forget the view ${view.name}`}
            className="size-6"
            onClick={() => keep(own.filter(({ name }) => name !== view.name))}
          />
        </span>
      ))}
      {!isKnown && (
        <Button size="small" tone="quiet" icon={BookmarkPlus} onClick={() => setIsNaming(true)}>
          Save view
        </Button>
      )}
      {isNaming && (
        <NameDialog
          onClose={() => setIsNaming(false)}
          onName={(name) => {
            const { page: _page, all: _all, ...search } = filters
            keep([...own.filter((view) => view.name !== name), { name, search }])
            setIsNaming(false)
          }}
        />
      )}
    </nav>
  )
}

function ViewLink({ view, filters }: { view: View; filters: WorkflowFilters }) {
  const isCurrent = isShown(view, filters)
  return (
    <Link
      to="/workflows"
      search={{ ...view.search, ...(filters.all ? { all: true } : {}) } as never}
      aria-current={isCurrent ? 'page' : undefined}
      className={classNames(
        'flex h-7 items-center rounded-md px-2.5 text-table font-medium',
        isCurrent ? 'bg-raised text-text' : 'text-muted hover:bg-raised hover:text-text',
      )}
    >
      {view.name}
    </Link>
  )
}

function NameDialog({ onName, onClose }: { onName: (name: string) => void; onClose: () => void }) {
  const [name, setName] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() !== '') onName(name.trim())
  }
  return (
    <Dialog title="Save view" onClose={onClose}>
      <form onSubmit={submit}>
        <TextField
          label="Name"
          value={name}
          maxLength={40}
          onChange={(event) => setName(event.target.value)}
          hint="Kept in this browser. The address shows the same view to others."
        />
        <div className="mt-4 flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="primary" disabled={name.trim() === ''}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
