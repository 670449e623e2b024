import { Link } from '@tanstack/react-router'
import { ProductMark } from '../ui/mark.tsx'
import { type NavigationItem, navigation } from './navigation.ts'

export function SideNavigation() {
  return (
    <nav
      aria-label="Main"
      className="sticky top-(--strip) flex h-[calc(100dvh-var(--strip))] w-54 shrink-0 flex-col overflow-y-auto border-r border-line bg-ground px-3 pb-4 [scrollbar-width:none] max-md:hidden"
    >
      <Link
        to="/"
        className="mb-1 flex h-12 shrink-0 items-center gap-2 rounded-md px-2 font-semibold tracking-[-0.01em] -outline-offset-2"
      >
        <ProductMark size={22} />
        Patchbay
      </Link>
      {navigation.map((group) => (
        <div key={group.title} className="mb-3">
          {group.title && <p className="px-2 pt-1 pb-1 text-label font-medium text-faint">{group.title}</p>}
          <ul>
            {group.items.map((item) => (
              <li key={item.to}>
                <NavigationLink item={item} />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}

const linkClass =
  'flex h-8 items-center gap-2.5 rounded-md px-2 text-table font-medium text-muted -outline-offset-2 hover:bg-raised hover:text-text'
const activeClass = 'bg-accent-soft !text-accent hover:!bg-accent-soft'

export function NavigationLink({ item, onSelect }: { item: NavigationItem; onSelect?: () => void }) {
  const content = (
    <>
      <item.icon size={16} strokeWidth={1.75} aria-hidden />
      {item.label}
    </>
  )
  if (item.isPlainLink) {
    return (
      <a href={item.to} className={linkClass}>
        {content}
      </a>
    )
  }
  return (
    <Link
      to={item.to}
      className={linkClass}
      activeProps={{ className: activeClass, 'aria-current': 'page' }}
      activeOptions={{ exact: item.to === '/', includeSearch: false }}
      {...(onSelect ? { onClick: onSelect } : {})}
    >
      {content}
    </Link>
  )
}
