// The pages of the console, in the order in which they are shown. The command palette and the keys read the same list.
import {
  ArrowUpCircle,
  Bell,
  BookOpen,
  Braces,
  ChartColumn,
  FileLock2,
  House,
  KeyRound,
  LayoutTemplate,
  ListX,
  type LucideIcon,
  Mail,
  PlugZap,
  ScrollText,
  Search,
  Shapes,
  Stamp,
  Users,
  Vault,
  Workflow,
} from 'lucide-react'

export type NavigationItem = {
  label: string
  to: string
  icon: LucideIcon
  /** Pressed after `g`. */
  key?: string
  /** Served outside of the console's own router. */
  isPlainLink?: boolean
}

export const navigation: readonly { title: string; items: readonly NavigationItem[] }[] = [
  { title: '', items: [{ label: 'Home', to: '/', icon: House, key: 'h' }] },
  {
    title: 'Build',
    items: [
      { label: 'Workflows', to: '/workflows', icon: Workflow, key: 'w' },
      { label: 'Connections', to: '/connections', icon: PlugZap, key: 'c' },
      { label: 'Templates', to: '/templates', icon: LayoutTemplate, key: 't' },
      { label: 'Upgrades', to: '/upgrades', icon: ArrowUpCircle, key: 'r' },
      { label: 'Catalogue', to: '/catalogue', icon: Shapes, key: 'l' },
    ],
  },
  {
    title: 'Watch',
    items: [
      { label: 'Search', to: '/search', icon: Search, key: 's' },
      { label: 'Approvals', to: '/approvals', icon: Stamp, key: 'o' },
      { label: 'Failed items', to: '/failed-items', icon: ListX, key: 'f' },
      { label: 'Alarms', to: '/alarms', icon: Bell, key: 'a' },
      { label: 'Usage', to: '/usage', icon: ChartColumn, key: 'u' },
      { label: 'Mail', to: '/mail', icon: Mail, key: 'm' },
      { label: 'Shares', to: '/shares', icon: FileLock2 },
    ],
  },
  {
    title: 'Govern',
    items: [
      { label: 'Accounts', to: '/accounts', icon: Users, key: 'p' },
      { label: 'Keys', to: '/keys', icon: KeyRound, key: 'k' },
      { label: 'Vault', to: '/vault', icon: Vault, key: 'v' },
      { label: 'Audit', to: '/audit', icon: ScrollText },
    ],
  },
  {
    title: 'Help',
    items: [
      { label: 'Docs', to: '/docs', icon: BookOpen, key: 'd' },
      { label: 'API reference', to: '/reference', icon: Braces, isPlainLink: true },
    ],
  },
]

export const allPages: readonly NavigationItem[] = navigation.flatMap((group) => group.items)
export const bottomBar: readonly string[] = ['/', '/workflows', '/connections', '/templates']
