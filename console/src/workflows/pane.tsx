import type { ReactNode } from 'react'

/** One of the areas below a block's editor. */
export function Pane({ title, action, children }: { title: string; action?: ReactNode; children: ReactNode }) {
  return (
    <section aria-label={title} className="flex min-h-32 min-w-0 flex-col">
      <h3 className="flex h-8 shrink-0 items-center gap-2 px-3 text-label font-medium text-muted">
        {title}
        {action && <span className="ml-auto flex items-center gap-2">{action}</span>}
      </h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard. */}
      <div tabIndex={0} className="min-h-0 flex-1 overflow-auto px-3 pb-3 -outline-offset-2">
        {children}
      </div>
    </section>
  )
}

export function PaneAction({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <button type="button" onClick={onClick} className="rounded-sm font-medium text-accent hover:underline">
      {children}
    </button>
  )
}
