// A list of actions behind a button, in the browser's own popover: it closes on Escape and on a click elsewhere by itself.
import type { LucideIcon } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react'
import { classNames } from './class-names.ts'

export type MenuItem =
  | { label: string; icon?: LucideIcon; onSelect: () => void; isDanger?: boolean; isDisabled?: boolean; hint?: string }
  | 'separator'

export function Menu({
  label,
  trigger,
  triggerClassName,
  items,
  align = 'end',
}: {
  label: string
  trigger: ReactNode
  triggerClassName?: string
  items: readonly MenuItem[]
  align?: 'start' | 'end'
}) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)

  const open = () => {
    const menu = list.current
    const at = button.current?.getBoundingClientRect()
    if (!menu || !at) return
    menu.showPopover()
    const { width, height } = menu.getBoundingClientRect()
    const left = align === 'end' ? at.right - width : at.left
    const below = at.bottom + 4
    menu.style.left = `${Math.max(8, Math.min(left, window.innerWidth - width - 8))}px`
    menu.style.top = `${below + height > window.innerHeight - 8 ? Math.max(8, at.top - height - 4) : below}px`
    menu.querySelector<HTMLElement>('[role=menuitem]:not(:disabled)')?.focus()
  }
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined || !list.current) return
    event.preventDefault()
    const all = [...list.current.querySelectorAll<HTMLElement>('[role=menuitem]:not(:disabled)')]
    const index = all.indexOf(document.activeElement as HTMLElement)
    all[(index + step + all.length) % all.length]?.focus()
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        aria-haspopup="menu"
        aria-label={label}
        title={label}
        onClick={open}
        className={triggerClassName}
      >
        {trigger}
      </button>
      <div
        ref={list}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        aria-label={label}
        onKeyDown={move}
        className="fixed inset-auto m-0 min-w-48 rounded-lg border border-line-strong bg-panel p-1 text-text shadow-float"
      >
        {items.map((item, index) =>
          item === 'separator' ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: separators have no identity of their own.
            <div key={index} className="my-1 h-px bg-line" />
          ) : (
            <Entry key={item.label} item={item} onSelect={() => list.current?.hidePopover()} />
          ),
        )}
      </div>
    </>
  )
}

function Entry({ item, onSelect }: { item: Exclude<MenuItem, 'separator'>; onSelect: () => void }) {
  return (
    <button
      type="button"
      role="menuitem"
      disabled={item.isDisabled}
      title={item.hint}
      onClick={() => {
        onSelect()
        item.onSelect()
      }}
      className={classNames(
        'flex h-8 w-full items-center gap-2 rounded-md px-2 text-left text-table -outline-offset-2 disabled:opacity-50',
        item.isDanger ? 'text-red enabled:hover:bg-red-soft' : 'enabled:hover:bg-raised',
      )}
    >
      {item.icon ? <item.icon size={15} strokeWidth={1.75} aria-hidden /> : null}
      {item.label}
    </button>
  )
}
