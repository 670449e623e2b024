import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

/** An empty place that teaches the next step, with one button. */
export function Empty({
  icon: Icon,
  title,
  children,
  action,
}: {
  icon: LucideIcon
  title: string
  children?: ReactNode
  action?: ReactNode
}) {
  return (
    <div className="flex flex-col items-center px-4 py-12 text-center">
      <div className="mb-3 flex size-10 items-center justify-center rounded-lg border border-line bg-raised text-muted">
        <Icon size={20} strokeWidth={1.5} aria-hidden />
      </div>
      <p className="font-medium">{title}</p>
      {children && <div className="mt-1 max-w-[56ch] text-table text-pretty text-muted">{children}</div>}
      {action && <div className="mt-4 flex gap-2">{action}</div>}
    </div>
  )
}
