// A signature format that the service does not know by itself.
import { useState } from 'react'
import type { Answer } from '../api.ts'
import { Checkbox, Select, TextField } from '../ui/field.tsx'

type Signature = Answer<'WebhookSettings'>['signature']

export function SignatureFields({ signature, refusal }: { signature: Signature; refusal?: string | undefined }) {
  const [isOwn, setIsOwn] = useState(signature !== null)
  return (
    <fieldset className="grid grid-cols-1 gap-4 sm:col-span-2 sm:grid-cols-2">
      <div className="sm:col-span-2">
        <Checkbox
          name="hasSignature"
          checked={isOwn}
          onChange={(event) => setIsOwn(event.target.checked)}
          label="The sender uses its own signature format"
          hint="Common formats work without this."
        />
        {refusal && (
          <p role="alert" className="mt-1 text-label text-red">
            {refusal}
          </p>
        )}
      </div>
      {isOwn && (
        <>
          <TextField label="Signature header" name="header" defaultValue={signature?.header ?? ''} required />
          <TextField
            label="Signed text"
            name="signedText"
            hint="Of {body}, {timestamp}, {id}, {method} and {url}."
            defaultValue={signature?.signedText ?? '{body}'}
            required
          />
          <Select
            label="Algorithm"
            name="algorithm"
            defaultValue={signature?.algorithm ?? 'sha256'}
            options={['sha256', 'sha1', 'sha512'].map((value) => ({ value, label: value }))}
          />
          <Select
            label="Encoding"
            name="encoding"
            defaultValue={signature?.encoding ?? 'hex'}
            options={['hex', 'base64'].map((value) => ({ value, label: value }))}
          />
          <TextField
            label="Prefix"
            name="prefix"
            hint="Text before the signature, such as sha256=."
            defaultValue={signature?.prefix ?? ''}
            isOptional
          />
          <TextField
            label="Timestamp header"
            name="timestampHeader"
            defaultValue={signature?.timestampHeader ?? ''}
            isOptional
          />
          <TextField label="Id header" name="idHeader" defaultValue={signature?.idHeader ?? ''} isOptional />
        </>
      )}
    </fieldset>
  )
}

export function signatureIn(form: FormData): Signature {
  if (form.get('hasSignature') !== 'on') return null
  const text = (name: string) => String(form.get(name) ?? '').trim()
  const optional = ['prefix', 'timestampHeader', 'idHeader'].filter((name) => text(name) !== '')
  return {
    header: text('header'),
    algorithm: text('algorithm') as NonNullable<Signature>['algorithm'],
    encoding: text('encoding') as NonNullable<Signature>['encoding'],
    signedText: text('signedText'),
    ...Object.fromEntries(optional.map((name) => [name, text(name)])),
  }
}
