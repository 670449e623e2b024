// At the width of a phone: four places one goes to most, and the rest behind a fifth.
import { Link } from '@tanstack/react-router'
import { Menu as MenuIcon } from 'lucide-react'
import { useRef } from 'react'
import { allPages, bottomBar, navigation } from './navigation.ts'
import { NavigationLink } from './side-navigation.tsx'

const itemClass =
  'flex flex-1 flex-col items-center justify-center gap-0.5 text-[11px] leading-4 font-medium text-muted -outline-offset-2'

export function BottomBar() {
  const sheet = useRef<HTMLDivElement>(null)
  return (
    <nav aria-label="Main" className="fixed inset-x-0 bottom-0 z-30 flex h-14 border-t border-line bg-panel md:hidden">
      {bottomBar.map((to) => {
        const item = allPages.find((page) => page.to === to)
        return (
          item && (
            <Link
              key={to}
              to={to}
              className={itemClass}
              activeProps={{ className: '!text-accent', 'aria-current': 'page' }}
              activeOptions={{ exact: to === '/', includeSearch: false }}
            >
              <item.icon size={19} strokeWidth={1.75} aria-hidden />
              {item.label}
            </Link>
          )
        )
      })}
      <button type="button" className={itemClass} onClick={() => sheet.current?.showPopover()} aria-haspopup="dialog">
        <MenuIcon size={19} strokeWidth={1.75} aria-hidden />
        More
      </button>
      <div
        ref={sheet}
        popover="auto"
        className="fixed inset-x-0 top-auto bottom-0 m-0 max-h-[80dvh] w-full max-w-none overflow-y-auto rounded-t-lg border-t border-line-strong bg-panel p-3 pb-6 text-text shadow-float"
      >
        {navigation.map((group) => (
          <div key={group.title} className="mb-2">
            {group.title && <p className="px-2 py-1 text-label font-medium text-faint">{group.title}</p>}
            <div className="grid grid-cols-2 gap-1">
              {group.items.map((item) => (
                <NavigationLink key={item.to} item={item} onSelect={() => sheet.current?.hidePopover()} />
              ))}
            </div>
          </div>
        ))}
      </div>
    </nav>
  )
}
