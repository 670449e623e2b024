import type { AnswerOf, Operations } from '@patchbay/contract'
import type { Application } from '../format/definition.ts'

type ShownField = AnswerOf<Operations['Applications']>[number]['credentialFields'][number]

/** Where a field chooses the authentication, each field that only some choices use says which: a form then asks for no others. */
export function fieldsByChoice({ credentialFields, authentication, ...rest }: Application): ShownField[] {
  if (authentication.type !== 'byField') return credentialFields
  const elsewhere = JSON.stringify(rest)
  const choices = Object.entries(authentication.choices).map(([value, how]) => [value, JSON.stringify(how)] as const)
  return credentialFields.map((field) => {
    const place = `{${field.ShortName}}`
    const values = choices.filter(([, text]) => text.includes(place)).map(([value]) => value)
    const isOfSome = values.length > 0 && values.length < choices.length && !elsewhere.includes(place)
    return isOfSome ? { ...field, OnlyFor: { Field: authentication.field, Values: values } } : field
  })
}
