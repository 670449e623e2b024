import { Check, Copy as CopyIcon } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { classNames } from './class-names.ts'

/** An id, key or address that copies on click. */
export function Copy({
  text,
  children,
  label,
  isMono = true,
}: {
  /** A function where making the text takes time: it is called when somebody copies. */
  text: string | (() => string)
  children?: ReactNode
  label?: string
  isMono?: boolean
}) {
  const [isCopied, setIsCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(typeof text === 'string' ? text : text())
    setIsCopied(true)
    setTimeout(() => setIsCopied(false), 1500)
  }
  return (
    <button
      type="button"
      onClick={copy}
      title="Copy"
      aria-label={label ?? `Copy ${typeof text === 'string' ? text : ''}`}
      className={classNames(
        'group inline-flex max-w-full items-center gap-1.5 rounded-sm text-left hover:text-accent',
        isMono && 'font-mono text-label',
      )}
    >
      <span className="truncate">{children ?? (typeof text === 'string' ? text : '')}</span>
      {isCopied ? (
        <Check size={13} aria-hidden className="shrink-0 text-green" />
      ) : (
        <CopyIcon size={13} aria-hidden className="shrink-0 text-faint group-hover:text-accent" />
      )}
      <span role="status" className="sr-only">
        {isCopied ? 'Copied' : ''}
      </span>
    </button>
  )
}
