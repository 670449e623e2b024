/** The types a variable may have, each with the sentence part that says what it wants. */
export const variableTypes = {
  text: 'text',
  password: 'text',
  number: 'a number',
  boolean: 'true or false',
  date: 'a date such as 2026-01-31 or 2026-01-31T08:00:00Z',
  select: 'one of its options',
  multiselect: 'a list of its options',
  json: 'a JSON value',
} as const
export type VariableType = keyof typeof variableTypes

export type VariableDefinition = {
  readonly type: VariableType
  readonly required: boolean
  readonly displayName: string
  /** Only for select and multiselect; without it any text is an option. */
  readonly options?: readonly string[]
}

export function parseVariableType(text: string): VariableType | undefined {
  return Object.hasOwn(variableTypes, text.toLowerCase()) ? (text.toLowerCase() as VariableType) : undefined
}

/** The type of a variable that is declared by its value alone. */
export function inferVariableType(value: unknown): VariableType {
  if (typeof value === 'number') return 'number'
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'string') return 'text'
  return 'json'
}

/** Null means "not set" and fits every type; whether a variable must be set is a question for deploying. */
export function fitsType(definition: Pick<VariableDefinition, 'type' | 'options'>, value: unknown): boolean {
  if (value === null) return true
  const isOption = (item: unknown) =>
    typeof item === 'string' && (definition.options === undefined || definition.options.includes(item))
  switch (definition.type) {
    case 'text':
    case 'password':
      return typeof value === 'string'
    case 'number':
      return typeof value === 'number' && Number.isFinite(value)
    case 'boolean':
      return typeof value === 'boolean'
    case 'date':
      return typeof value === 'string' && isIsoDate(value)
    case 'select':
      return isOption(value)
    case 'multiselect':
      return Array.isArray(value) && value.every(isOption) && new Set(value).size === value.length
    case 'json':
      return value !== undefined
  }
}

/** An empty text or an empty list does not set a variable that must be set. */
export function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)
}

const isoDate = /^(\d{4})-(\d{2})-(\d{2})(?:T(?!24)\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/

function isIsoDate(text: string): boolean {
  const [year, month, day] = isoDate.exec(text)?.slice(1).map(Number) ?? []
  // A Date rolls 31 February over into March, so a day that exists is one that comes back unchanged.
  const isDay = new Date(Date.UTC(year!, month! - 1, day)).getUTCDate() === day
  return isDay && !Number.isNaN(Date.parse(text))
}
