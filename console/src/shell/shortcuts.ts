// Keys that work everywhere: Ctrl K and / search, g and a letter go to a page, ? lists all of them.
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { isKeyListOpen } from './key-list.tsx'
import { allPages } from './navigation.ts'
import { isPaletteOpen } from './palette-state.ts'

const sequenceMs = 1200

export function useShortcuts(): void {
  const navigate = useNavigate()
  useEffect(() => {
    let wentAt = 0
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        isPaletteOpen.set(true)
        return
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (event.key === '/') {
        event.preventDefault()
        isPaletteOpen.set(true)
      } else if (event.key === '?') {
        isKeyListOpen.set(true)
      } else if (event.key === 'g') {
        wentAt = performance.now()
      } else if (performance.now() - wentAt < sequenceMs) {
        wentAt = 0
        const page = allPages.find(({ key }) => key === event.key)
        if (page) void navigate({ to: page.to })
      }
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [navigate])
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName))
  )
}
