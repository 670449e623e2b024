// The frame of every page: navigation, top bar, and what concerns the whole console.
import { useQueryClient } from '@tanstack/react-query'
import { Outlet, useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'
import { reachable } from '../session/connectivity.ts'
import { useLiveUpdates } from '../session/live.ts'
import { useManagedAccountId } from '../session/managed-account.ts'
import { SessionPanel } from '../session/session-panel.tsx'
import { useStore } from '../ui/store.ts'
import { Toasts } from '../ui/toast.tsx'
import { ManagingStrip } from './account-switch.tsx'
import { BottomBar } from './bottom-bar.tsx'
import { CommandPalette } from './command-palette.tsx'
import { isKeyListOpen, KeyList } from './key-list.tsx'
import { isPaletteOpen } from './palette-state.ts'
import { useShortcuts } from './shortcuts.ts'
import { SideNavigation } from './side-navigation.tsx'
import { TopBar } from './top-bar.tsx'

export function Shell() {
  useShortcuts()
  useLiveUpdates()
  const isOpen = useStore(isPaletteOpen)
  const isListingKeys = useStore(isKeyListOpen)
  const isManaging = useManagedAccountId() !== undefined
  return (
    <>
      <a
        href="#content"
        className="sr-only z-50 rounded-md bg-panel px-3 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      {/* Pages and panels that fill the window leave out what stands above them. */}
      <div className={isManaging ? '[--shell-top:80px] [--strip:32px]' : '[--shell-top:48px] [--strip:0px]'}>
        <ManagingStrip />
        <div className="flex">
          <SideNavigation />
          <div className="flex min-h-[calc(100dvh-var(--strip))] min-w-0 flex-1 flex-col max-md:pb-14">
            <TopBar />
            <Unreachable />
            <main id="content" tabIndex={-1} className="min-w-0 flex-1 outline-none">
              <Outlet />
            </main>
          </div>
        </div>
      </div>
      <BottomBar />
      <Toasts />
      <SessionPanel />
      <Progress />
      {/* Loaded with the shell, so that what is typed right after the keys arrives in its box. */}
      {isOpen && <CommandPalette />}
      {isListingKeys && <KeyList />}
    </>
  )
}

/** A page that takes longer than a moment to come shows that it is coming. */
function Progress() {
  const isPending = useRouterState({ select: (state) => state.status === 'pending' })
  if (!isPending) return null
  return <div className="appearing fixed inset-x-0 top-0 z-50 h-0.5 bg-accent-fill" aria-hidden />
}

function Unreachable() {
  const isReachable = useStore(reachable)
  const queries = useQueryClient()
  useEffect(() => {
    if (isReachable)
      void queries.refetchQueries({ type: 'active', predicate: (query) => query.state.status === 'error' })
  }, [isReachable, queries])
  if (isReachable) return null
  return (
    <div role="alert" className="bg-red-soft px-6 py-1.5 text-table text-red">
      The connection to Patchbay is lost. Retrying every two seconds. Nothing you typed is lost.
    </div>
  )
}
