import { CircleAlert, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

const looks = {
  error: { icon: CircleAlert, box: 'border-red/30 bg-red-soft', mark: 'text-red' },
  warning: { icon: TriangleAlert, box: 'border-amber/30 bg-amber-soft', mark: 'text-amber' },
  note: { icon: Info, box: 'border-line bg-raised', mark: 'text-muted' },
} as const

/** A sentence that belongs to a place of the page, with the way out beside it. */
export function Notice({
  kind,
  title,
  children,
  action,
}: {
  kind: keyof typeof looks
  title?: string
  children?: ReactNode
  action?: ReactNode
}) {
  const { icon: Icon, box, mark } = looks[kind]
  return (
    <div
      role={kind === 'error' ? 'alert' : undefined}
      className={classNames('flex items-start gap-2.5 rounded-lg border px-3 py-2.5 text-table', box)}
    >
      <Icon size={16} strokeWidth={1.75} aria-hidden className={classNames('mt-0.5 shrink-0', mark)} />
      <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        {title && <p className="font-medium">{title}</p>}
        {children && <div className={title ? 'text-muted' : ''}>{children}</div>}
      </div>
      {action && <div className="flex shrink-0 items-center gap-2">{action}</div>}
    </div>
  )
}
