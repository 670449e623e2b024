import { ChevronDown } from 'lucide-react'
import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react'
import { classNames } from './class-names.ts'

export const inputClass =
  'w-full rounded-md border border-control bg-panel px-2.5 text-table text-text transition-colors duration-100 hover:border-muted focus:border-accent-fill focus:outline-2 focus:-outline-offset-1 focus:outline-(--ring) disabled:opacity-60'

type FieldProps = {
  label: string
  hint?: ReactNode
  /** A refusal that belongs to this field. */
  error?: string | undefined
  /** The label is there for those who listen, not for those who see. */
  isLabelHidden?: boolean
  className?: string | undefined
}

function Field({
  label,
  hint,
  error,
  isLabelHidden,
  className,
  isRequired,
  children,
}: FieldProps & {
  isRequired?: boolean | undefined
  children: (ids: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }) => ReactNode
}) {
  const id = useId()
  const noteId = `${id}-note`
  const note = error ?? hint
  return (
    <div className={className}>
      <label
        htmlFor={id}
        className={isLabelHidden ? 'sr-only' : 'mb-1 flex items-baseline gap-1.5 text-table font-medium'}
      >
        {label}
        {!isLabelHidden && isRequired === false && (
          <span className="text-label font-normal text-faint" aria-hidden>
            optional
          </span>
        )}
      </label>
      {children({ id, ...(note ? { 'aria-describedby': noteId } : {}), ...(error ? { 'aria-invalid': true } : {}) })}
      {note && (
        <p
          id={noteId}
          role={error ? 'alert' : undefined}
          className={classNames('mt-1 text-label', error ? 'text-red' : 'text-muted')}
        >
          {note}
        </p>
      )}
    </div>
  )
}

export function TextField({
  label,
  hint,
  error,
  isLabelHidden = false,
  className,
  isOptional,
  inputClassName,
  ...input
}: FieldProps & { isOptional?: boolean; inputClassName?: string } & Omit<
    InputHTMLAttributes<HTMLInputElement>,
    'className'
  >) {
  return (
    <Field {...{ label, hint, error, isLabelHidden, className }} isRequired={isOptional ? false : undefined}>
      {(ids) => <input {...ids} {...input} className={classNames(inputClass, 'h-8', inputClassName)} />}
    </Field>
  )
}

export function TextArea({
  label,
  hint,
  error,
  isLabelHidden = false,
  className,
  isOptional,
  isMono,
  ...input
}: FieldProps & { isOptional?: boolean; isMono?: boolean } & Omit<
    TextareaHTMLAttributes<HTMLTextAreaElement>,
    'className'
  >) {
  return (
    <Field {...{ label, hint, error, isLabelHidden, className }} isRequired={isOptional ? false : undefined}>
      {(ids) => (
        <textarea
          rows={3}
          {...ids}
          {...input}
          className={classNames(inputClass, 'py-1.5', isMono && 'font-mono text-label')}
        />
      )}
    </Field>
  )
}

export function Select({
  label,
  hint,
  error,
  isLabelHidden = false,
  className,
  options,
  ...input
}: FieldProps & {
  options: readonly { value: string; label: string; isDisabled?: boolean }[]
} & Omit<SelectHTMLAttributes<HTMLSelectElement>, 'className'>) {
  return (
    <Field {...{ label, hint, error, isLabelHidden, className }}>
      {(ids) => (
        <span className="relative block">
          <select {...ids} {...input} className={classNames(inputClass, 'h-8 appearance-none truncate pr-7')}>
            {options.map((option) => (
              <option key={option.value} value={option.value} disabled={option.isDisabled}>
                {option.label}
              </option>
            ))}
          </select>
          <ChevronDown size={14} aria-hidden className="pointer-events-none absolute top-2.25 right-2 text-muted" />
        </span>
      )}
    </Field>
  )
}

export function Checkbox({
  label,
  hint,
  ...input
}: { label: ReactNode; hint?: ReactNode } & Omit<InputHTMLAttributes<HTMLInputElement>, 'type' | 'className'>) {
  const id = useId()
  const hintId = `${id}-hint`
  return (
    <div className="flex gap-2">
      <input
        id={id}
        type="checkbox"
        aria-describedby={hint ? hintId : undefined}
        {...input}
        className="mt-0.5 size-4 shrink-0 accent-(--accent-fill)"
      />
      <div className="text-table">
        <label htmlFor={id}>{label}</label>
        {/* Beside the label: it describes the choice and is not its name. */}
        {hint && (
          <span id={hintId} className="block text-label text-muted">
            {hint}
          </span>
        )}
      </div>
    </div>
  )
}
