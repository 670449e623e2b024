import { LogOut, Monitor, Moon, Sun, UserRound } from 'lucide-react'
import { session, signOut } from '../session/session.ts'
import { Menu } from '../ui/menu.tsx'
import { useStore } from '../ui/store.ts'
import { toast } from '../ui/toast.tsx'
import { chooseTheme, theme } from './theme.ts'

export function AccountMenu() {
  const account = useStore(session)?.myAccount
  const current = useStore(theme)
  const mark = (name: string) => (current === name ? ' ✓' : '')
  return (
    <Menu
      label={`Account ${account?.email ?? ''}`}
      triggerClassName="flex size-8 items-center justify-center rounded-full bg-accent-soft text-accent"
      trigger={<UserRound size={16} strokeWidth={1.75} aria-hidden />}
      items={[
        { label: `System theme${mark('system')}`, icon: Monitor, onSelect: () => chooseTheme('system') },
        { label: `Light${mark('light')}`, icon: Sun, onSelect: () => chooseTheme('light') },
        { label: `Dark${mark('dark')}`, icon: Moon, onSelect: () => chooseTheme('dark') },
        'separator',
        {
          label: 'Sign out',
          icon: LogOut,
          onSelect: () => void signOut().catch((error: Error) => toast.error(error.message)),
        },
      ]}
    />
  )
}
