// The form that an application's credential fields ask for.
import { type FormEvent, useState } from 'react'
import type { Application } from '../applications/applications.ts'
import { Button } from '../ui/button.tsx'
import { Checkbox, Select, TextField } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'

type CredentialField = Application['credentialFields'][number]
export type Registration = { tagText: string; credentials: Record<string, unknown> }

export function CredentialsForm({
  application,
  initialLabel = '',
  isUpdate = false,
  submit,
  isBusy,
  refusal,
  onSubmit,
}: {
  application: Application
  initialLabel?: string
  /** Fields that are left empty stay as they are stored. */
  isUpdate?: boolean
  submit: string
  isBusy: boolean
  refusal: string | undefined
  onSubmit: (registration: Registration) => void
}) {
  const [tagText, setTagText] = useState(initialLabel)
  const [values, setValues] = useState<Record<string, unknown>>(() =>
    isUpdate
      ? {}
      : Object.fromEntries(
          application.credentialFields
            .filter((field) => field.Default !== undefined)
            .map((field) => [field.ShortName, field.Default]),
        ),
  )
  const shown = application.credentialFields.filter((field) => isAskedFor(field, values))
  const send = (event: FormEvent) => {
    event.preventDefault()
    const shownNames = new Set(shown.map(({ ShortName }) => ShortName))
    const given = Object.entries(values).filter(
      ([name, value]) => shownNames.has(name) && value !== '' && value !== undefined,
    )
    onSubmit({ tagText, credentials: Object.fromEntries(given) })
  }
  // The service names the field in its sentence; there it is shown at the field.
  const blamed = shown.find(
    (field) => refusal?.includes(`"${field.ShortName}"`) || refusal?.includes(field.DisplayName),
  )
  return (
    <form onSubmit={send} className="flex flex-col gap-4">
      <TextField
        label="Label"
        hint="The name shown in lists."
        value={tagText}
        onChange={(event) => setTagText(event.target.value)}
        maxLength={200}
        isOptional
      />
      {shown.map((field) => (
        <CredentialInput
          key={field.ShortName}
          field={field}
          isUpdate={isUpdate}
          value={values[field.ShortName]}
          error={blamed === field ? refusal : undefined}
          onChange={(value) => setValues((before) => ({ ...before, [field.ShortName]: value }))}
        />
      ))}
      {refusal && !blamed && <Notice kind="error">{refusal}</Notice>}
      <div className="flex justify-end">
        <Button type="submit" tone="primary" isBusy={isBusy}>
          {submit}
        </Button>
      </div>
    </form>
  )
}

/** Fields of another kind of sign-in than the chosen one are left out. Until one is chosen, all are there. */
function isAskedFor({ OnlyFor }: CredentialField, values: Record<string, unknown>): boolean {
  const chosen = OnlyFor && values[OnlyFor.Field]
  return OnlyFor === undefined || typeof chosen !== 'string' || chosen === '' || OnlyFor.Values.includes(chosen)
}

/** Catalogue words such as clientCredentials, as people write them; addresses and codes stay as they are. */
function optionLabel(option: string): string {
  if (!/^[a-z]+([A-Z][a-z]+)*$/.test(option)) return option
  const words = option.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function CredentialInput({
  field,
  isUpdate,
  value,
  error,
  onChange,
}: {
  field: CredentialField
  isUpdate: boolean
  value: unknown
  error: string | undefined
  onChange: (value: unknown) => void
}) {
  const isRequired = field.Required && !isUpdate
  const common = { label: field.DisplayName, hint: field.Description, error }
  if (field.Type === 'boolean') {
    return (
      <Checkbox
        label={field.DisplayName}
        hint={field.Description}
        checked={value === true}
        onChange={(event) => onChange(event.target.checked)}
      />
    )
  }
  if (field.Type === 'select') {
    return (
      <Select
        {...common}
        required={isRequired}
        value={typeof value === 'string' ? value : ''}
        onChange={(event) => onChange(event.target.value)}
        options={[
          { value: '', label: isUpdate ? 'Unchanged' : 'Choose …' },
          ...(field.Options ?? []).map((option) => ({ value: option, label: optionLabel(option) })),
        ]}
      />
    )
  }
  return (
    <TextField
      {...common}
      type={field.Type === 'password' ? 'password' : field.Type === 'number' ? 'number' : 'text'}
      inputMode={field.Type === 'url' ? 'url' : undefined}
      autoComplete="off"
      required={isRequired}
      isOptional={!field.Required && field.OnlyFor === undefined}
      placeholder={isUpdate ? 'Unchanged' : field.Type === 'url' ? 'https://' : undefined}
      value={typeof value === 'string' || typeof value === 'number' ? value : ''}
      onChange={(event) =>
        onChange(field.Type === 'number' && event.target.value !== '' ? event.target.valueAsNumber : event.target.value)
      }
    />
  )
}
