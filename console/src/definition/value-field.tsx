// A field for a value of a declared type, as workflow variables and templates have them.
import { Checkbox, Select, TextArea, TextField } from '../ui/field.tsx'

export type Declared = {
  type: string
  required: boolean
  displayName: string
  description?: string | undefined
  options?: readonly { value: string; label: string }[] | undefined
}

type Props = { declared: Declared; value: unknown; onChange: (value: unknown) => void; error?: string | undefined }

export function ValueField({ declared, value, onChange, error }: Props) {
  const { type, displayName: label, options = [], description } = declared
  const common = { label, hint: description, error, isOptional: !declared.required }
  if (type === 'boolean') {
    return (
      <Checkbox
        label={label}
        hint={description}
        checked={value === true}
        onChange={(event) => onChange(event.target.checked)}
      />
    )
  }
  if (type === 'select') {
    return (
      <Select
        label={label}
        hint={description}
        error={error}
        value={typeof value === 'string' ? value : ''}
        onChange={(event) => onChange(event.target.value)}
        options={[{ value: '', label: 'Choose …' }, ...options]}
      />
    )
  }
  if (type === 'multiselect') return <SeveralField declared={declared} value={value} onChange={onChange} />
  if (type === 'json') {
    return (
      <TextArea
        {...common}
        isMono
        rows={5}
        defaultValue={
          value === null || value === undefined
            ? ''
            : typeof value === 'string'
              ? value
              : JSON.stringify(value, null, 2)
        }
        onChange={(event) => onChange(readJson(event.target.value))}
      />
    )
  }
  if (type === 'number') {
    return (
      <TextField
        {...common}
        type="number"
        step="any"
        value={typeof value === 'number' ? value : ''}
        onChange={(event) => onChange(event.target.value === '' ? null : event.target.valueAsNumber)}
      />
    )
  }
  return (
    <TextField
      {...common}
      type={type === 'password' ? 'password' : 'text'}
      autoComplete="off"
      placeholder={type === 'date' ? '2026-01-31T00:00:00Z' : undefined}
      value={typeof value === 'string' ? value : value === null || value === undefined ? '' : String(value)}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

/** Any number of the options. */
function SeveralField({ declared, value, onChange }: Props) {
  const chosen = Array.isArray(value) ? value : []
  return (
    <fieldset>
      <legend className="mb-1.5 text-table font-medium">{declared.displayName}</legend>
      <div className="flex flex-col gap-1.5">
        {declared.options?.map((option) => (
          <Checkbox
            key={option.value}
            label={option.label}
            checked={chosen.includes(option.value)}
            onChange={(event) =>
              onChange(
                event.target.checked ? [...chosen, option.value] : chosen.filter((item) => item !== option.value),
              )
            }
          />
        ))}
      </div>
    </fieldset>
  )
}

/** Half-typed JSON is kept as text; the service says what is wrong with it. */
function readJson(text: string): unknown {
  if (text.trim() === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
