import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

export function Panel({ children, className }: { children: ReactNode; className?: string }) {
  return <div className={classNames('rounded-lg border border-line bg-panel', className)}>{children}</div>
}
