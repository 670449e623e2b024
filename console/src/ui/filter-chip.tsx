import { Check } from 'lucide-react'
import { classNames } from './class-names.ts'

/** A filter that is on or off. */
export function FilterChip({
  label,
  isOn,
  onChange,
}: {
  label: string
  isOn: boolean
  onChange: (isOn: boolean) => void
}) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={() => onChange(!isOn)}
      className={classNames(
        'inline-flex h-8 items-center gap-1.5 rounded-md border px-2.5 text-table font-medium whitespace-nowrap',
        isOn
          ? 'border-accent-fill bg-accent-soft text-accent'
          : 'border-line-strong bg-panel text-muted hover:bg-raised hover:text-text',
      )}
    >
      {isOn && <Check size={13} strokeWidth={2.25} aria-hidden />}
      {label}
    </button>
  )
}
