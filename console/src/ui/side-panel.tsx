// Detail beside a list: 480 wide, over the page on a phone. Its address holds what it shows, so the browser's back button closes it.
import { X } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { IconButton } from './button.tsx'

export function SidePanel({
  title,
  state,
  onClose,
  children,
  footer,
}: {
  title: string
  state?: ReactNode
  onClose: () => void
  children: ReactNode
  footer?: ReactNode
}) {
  const panel = useRef<HTMLElement>(null)
  const titleId = useId()
  useEffect(() => {
    panel.current?.focus()
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !document.querySelector('dialog[open], :popover-open')) onClose()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [onClose])
  return (
    <aside
      ref={panel}
      tabIndex={-1}
      aria-labelledby={titleId}
      className="appearing fixed top-(--strip) right-0 bottom-0 max-md:bottom-14 z-30 flex w-[480px] max-w-full flex-col border-l border-line bg-panel shadow-float outline-none"
    >
      <header className="flex min-h-12 shrink-0 items-center gap-2 border-b border-line py-2 pr-2 pl-5">
        <h2 id={titleId} className="min-w-0 flex-1 text-section font-semibold [overflow-wrap:anywhere]">
          {title}
        </h2>
        {state}
        <IconButton icon={X} label="Close" onClick={onClose} />
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4">{children}</div>
      {footer && (
        <footer className="flex shrink-0 flex-wrap items-center gap-2 border-t border-line px-5 py-3">{footer}</footer>
      )}
    </aside>
  )
}
