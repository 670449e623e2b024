import { Search } from 'lucide-react'
import { AccountMenu } from './account-menu.tsx'
import { AccountSwitch } from './account-switch.tsx'
import { isPaletteOpen } from './palette-state.ts'

export function TopBar() {
  return (
    <header className="sticky top-0 z-20 flex h-12 shrink-0 items-center gap-2 border-b border-line bg-ground px-2 sm:px-4">
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
      <AccountMenu />
    </header>
  )
}
