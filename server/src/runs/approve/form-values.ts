// What is asked for together with an approval.
import { fitsType, isSet, parseVariableType, variableTypes } from '../../engine/variables/variable-values.ts'
import { invalid } from '../../lib/app-error.ts'
import type { Json, JsonObject } from '../../lib/json.ts'

export type FormField = { shortName: string; displayName: string; type: string; required: boolean }

/** Of every field its value, null where none was given; null where nothing is asked for. A rejection needs none. */
export function readFormValues(
  fields: readonly FormField[],
  given: Readonly<Record<string, unknown>>,
  isApproval: boolean,
): JsonObject | null {
  const unknown = Object.keys(given).find((name) => !fields.some(({ shortName }) => shortName === name))
  if (unknown !== undefined) throw invalid(`Unknown field "${unknown}" in form.`)
  if (fields.length === 0) return null
  return Object.fromEntries(fields.map((field) => [field.shortName, readValue(field, given, isApproval)]))
}

function readValue(
  { shortName, displayName, type: named, required }: FormField,
  given: Readonly<Record<string, unknown>>,
  isApproval: boolean,
): Json {
  const value = Object.hasOwn(given, shortName) ? given[shortName] : null
  const type = parseVariableType(named) ?? 'text'
  if (!fitsType({ type }, value)) throw invalid(`The form field "${displayName}" must be ${variableTypes[type]}.`)
  if (typeof value === 'string' && value.length > textCharactersMax)
    throw invalid(`The form field "${displayName}" must be at most ${textCharactersMax} characters long.`)
  if (isApproval && required && !isSet(value)) throw invalid(`The form field "${displayName}" is required.`)
  return value as Json
}

const textCharactersMax = 10_000

/** As a browser sends a form: every value is a text, and what is empty was not given. */
export function fromTexts(fields: readonly FormField[], texts: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    fields.map(({ shortName, type }) => {
      const text = (texts[inputName(shortName)] ?? '').replaceAll('\r\n', '\n')
      if (type.toLowerCase() === 'boolean') return [shortName, text !== '']
      if (text.trim() === '') return [shortName, null]
      return [shortName, type.toLowerCase() === 'number' ? toNumber(text) : text]
    }),
  )
}

/** A text that is no number stays one, and is told as wrong. */
function toNumber(text: string): number | string {
  const number = Number(text.trim())
  return Number.isFinite(number) ? number : text
}

/** Apart from the page's own fields. */
export function inputName(shortName: string): string {
  return `form.${shortName}`
}
