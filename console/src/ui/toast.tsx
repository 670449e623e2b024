// What just happened. Good news goes by itself; errors stay until they are read.
import { Check, CircleAlert, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { createStore, useStore } from './store.ts'

type Toast = { id: number; kind: 'done' | 'error'; text: ReactNode; action?: ReactNode }

const toasts = createStore<readonly Toast[]>([])
let lastId = 0
/** What one can still do needs longer to be read than what is done. */
const shownMs = { plain: 5000, withAction: 15_000 }

function show(kind: Toast['kind'], text: ReactNode, action?: ReactNode): void {
  const id = ++lastId
  toasts.set([...toasts.get().slice(-3), { id, kind, text, action }])
  if (kind === 'done') setTimeout(() => dismiss(id), action ? shownMs.withAction : shownMs.plain)
}

function dismiss(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id))
}

export const toast = {
  done: (text: ReactNode, action?: ReactNode) => show('done', text, action),
  error: (text: ReactNode, action?: ReactNode) => show('error', text, action),
}

export function Toasts() {
  const all = useStore(toasts)
  return (
    <div className="pointer-events-none fixed right-4 bottom-4 z-50 flex w-[min(400px,calc(100vw-32px))] flex-col gap-2 max-sm:bottom-18">
      {all.map(({ id, kind, text, action }) => (
        <div
          key={id}
          role={kind === 'error' ? 'alert' : 'status'}
          className="rising pointer-events-auto flex items-start gap-2.5 rounded-lg border border-line-strong bg-panel py-2.5 pr-2 pl-3 text-table shadow-float"
        >
          {kind === 'error' ? (
            <CircleAlert size={16} aria-hidden className="mt-0.5 shrink-0 text-red" />
          ) : (
            <Check size={16} aria-hidden className="mt-0.5 shrink-0 text-green" />
          )}
          <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">{text}</div>
          {action}
          <button
            type="button"
            aria-label="Dismiss"
            onClick={() => dismiss(id)}
            className="flex size-5 shrink-0 items-center justify-center rounded-sm text-muted hover:bg-raised hover:text-text"
          >
            <X size={14} aria-hidden />
          </button>
        </div>
      ))}
    </div>
  )
}
