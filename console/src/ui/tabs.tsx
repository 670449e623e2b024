// Tabs are links: each has an address, and the browser's buttons go through them.
import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { classNames } from './class-names.ts'

export type Tab = { id: string; label: string; count?: number | string | undefined }

export function Tabs({
  label,
  tabs,
  current,
  param = 'tab',
}: {
  label: string
  tabs: readonly Tab[]
  current: string
  param?: string
}) {
  const bar = useRef<HTMLElement>(null)
  // On a phone the row is longer than the screen: the current tab is brought into sight.
  useEffect(() => {
    const tab = bar.current?.querySelector<HTMLElement>(`[data-tab="${CSS.escape(current)}"]`)
    if (tab && bar.current) bar.current.scrollLeft = tab.offsetLeft - (bar.current.clientWidth - tab.offsetWidth) / 2
  }, [current])
  return (
    <div className="border-b border-line">
      <nav
        ref={bar}
        aria-label={label}
        className="relative -mb-px -ml-2.5 flex gap-1 overflow-x-auto overflow-y-hidden [scrollbar-width:none]"
      >
        {tabs.map((tab) => {
          const isCurrent = tab.id === current
          return (
            <Link
              key={tab.id}
              data-tab={tab.id}
              to="."
              search={({ as }) => ({ as, [param]: tab.id })}
              aria-current={isCurrent ? 'page' : undefined}
              className={classNames(
                'relative flex h-9 items-center gap-1.5 px-2.5 text-table font-medium whitespace-nowrap -outline-offset-2',
                isCurrent
                  ? 'text-text after:absolute after:inset-x-2.5 after:bottom-0 after:h-0.5 after:rounded-full after:bg-accent-fill'
                  : 'text-muted hover:text-text',
              )}
            >
              {tab.label}
              {tab.count !== undefined && (
                <span className="rounded-full bg-raised px-1.5 text-label text-muted tabular-nums">{tab.count}</span>
              )}
            </Link>
          )
        })}
      </nav>
    </div>
  )
}
