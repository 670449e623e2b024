import { Link, type LinkProps } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import type { ButtonHTMLAttributes, MouseEvent, ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Spinner } from './spinner.tsx'

export type Tone = 'primary' | 'secondary' | 'quiet' | 'danger'
type Size = 'normal' | 'small'

const shapes =
  'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap select-none transition-colors duration-100 disabled:opacity-65 aria-disabled:opacity-65'
const sizes: Record<Size, string> = { normal: 'h-8 px-3 text-table', small: 'h-7 px-2 text-label' }
const tones: Record<Tone, string> = {
  primary: 'bg-accent-fill text-on-accent enabled:hover:bg-accent-fill-hover',
  secondary: 'border border-line-strong bg-panel text-text hover:bg-raised',
  quiet: 'text-muted hover:bg-raised hover:text-text',
  danger: 'bg-danger-fill text-on-accent enabled:hover:bg-danger-fill-hover',
}

export function buttonClass(tone: Tone = 'secondary', size: Size = 'normal'): string {
  return classNames(shapes, sizes[size], tones[tone])
}

type Look = { tone?: Tone; size?: Size; icon?: LucideIcon; children?: ReactNode }

export function Button({
  tone = 'secondary',
  size = 'normal',
  icon: Icon,
  isBusy = false,
  children,
  className,
  ...rest
}: Look & { isBusy?: boolean } & Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'>) {
  return (
    <button
      type="button"
      {...rest}
      // A button that is busy keeps the focus, so that somebody without a mouse does not start over at the top of the page.
      {...(isBusy ? { onClick: ignore, 'aria-disabled': true, 'aria-busy': true } : {})}
      className={classNames(buttonClass(tone, size), className)}
    >
      {isBusy ? <Spinner /> : Icon ? <Icon size={15} strokeWidth={1.75} aria-hidden /> : null}
      {children}
    </button>
  )
}

/** Also keeps a form from being sent twice: its submit button is pressed for every way of sending it. */
function ignore(event: MouseEvent): void {
  event.preventDefault()
}

export function LinkButton({ tone = 'secondary', size = 'normal', icon: Icon, children, ...link }: Look & LinkProps) {
  return (
    <Link {...(link as LinkProps)} className={buttonClass(tone, size)}>
      {Icon ? <Icon size={15} strokeWidth={1.75} aria-hidden /> : null}
      {children}
    </Link>
  )
}

/** A button that shows an icon only; its name is read aloud and shown on hover. */
export function IconButton({
  icon: Icon,
  label,
  className,
  ...rest
}: { icon: LucideIcon; label: string } & ButtonHTMLAttributes<HTMLButtonElement>) {
  return (
    <button
      type="button"
      title={label}
      aria-label={label}
      {...rest}
      className={classNames(
        'inline-flex size-8 shrink-0 items-center justify-center rounded-md text-muted transition-colors duration-100 hover:bg-raised hover:text-text disabled:opacity-50',
        className,
      )}
    >
      <Icon size={16} strokeWidth={1.75} aria-hidden />
    </button>
  )
}
