import { Link } from '@tanstack/react-router'
import { Bell, CircleHelp, Search } from 'lucide-react'
import { useOperation } from '../api.ts'
import { useReachesOthers } from '../session/reach.ts'
import { counted } from '../ui/counted.ts'
import { AccountMenu } from './account-menu.tsx'
import { AccountSwitch } from './account-switch.tsx'
import { isPaletteOpen } from './palette-state.ts'

export function TopBar() {
  return (
    <header className="sticky top-(--strip) z-20 flex h-12 shrink-0 items-center gap-2 border-b border-line bg-ground px-2 sm:px-4">
      <AccountSwitch />
      <div className="flex-1" />
      <button
        type="button"
        onClick={() => isPaletteOpen.set(true)}
        className="flex h-8 items-center gap-2 rounded-md border border-line-strong bg-panel px-2.5 text-table text-muted hover:border-control sm:w-64"
      >
        <Search size={14} aria-hidden />
        <span className="max-sm:sr-only">Search</span>
        <kbd
          aria-hidden
          className="ml-auto rounded-sm border border-line bg-raised px-1 font-sans text-[11px] leading-4 text-muted max-sm:hidden"
        >
          Ctrl K
        </kbd>
      </button>
      <AlarmsLink />
      <Link to="/docs" aria-label="Docs" title="Docs" className={`${iconLink} max-sm:hidden`}>
        <CircleHelp size={17} strokeWidth={1.75} aria-hidden />
      </Link>
      <AccountMenu />
    </header>
  )
}

const iconLink =
  'relative flex size-8 shrink-0 items-center justify-center rounded-md text-muted hover:bg-raised hover:text-text'

/** How many alarms are open, of every account one sees. The stream keeps the number true. */
function AlarmsLink() {
  const isAcross = useReachesOthers()
  const open = useOperation(
    'Alarms',
    { body: { page: 0, size: 1, isOpen: true, ...(isAcross ? { acrossAccounts: true } : {}) } },
    { staleTime: 60_000 },
  )
  const count = open.data?.total ?? 0
  return (
    <Link
      to="/alarms"
      search={isAcross ? { all: true } : {}}
      aria-label={count === 0 ? 'No open alarms' : counted(count, 'open alarm')}
      title="Alarms"
      className={iconLink}
    >
      <Bell size={17} strokeWidth={1.75} aria-hidden />
      {count > 0 && (
        <span
          aria-hidden
          className="absolute -top-0.5 -right-0.5 min-w-4 rounded-full bg-danger-fill px-1 text-center text-[10px] leading-4 font-semibold text-on-accent tabular-nums"
        >
          {count > 99 ? '99+' : count}
        </span>
      )}
    </Link>
  )
}
