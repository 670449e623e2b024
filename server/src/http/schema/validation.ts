// Bodies are not coerced; values of queries and forms are text and become what their schema says. Enum values are matched without regard to case and
// handed on in the spelling of the contract; an optional field that is null counts as not given. The first fault becomes a sentence that names the field.
import { timestampPattern } from '@patchbay/contract'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { invalid } from '../../lib/app-error.ts'
import { withoutNulls } from './null-is-absence.ts'
import { containerIn, type SchemaShape, schemaAt, typeName } from './schema-shape.ts'

type Part = 'body' | 'form' | 'query' | 'params'

type Fault = { keyword: string; instancePath: string; params: Record<string, unknown>; message?: string }

/** Checks a value and returns it ready for the handler; throws AppError otherwise. */
export function validator(schema: TSchema, part: Part): (value: unknown) => unknown {
  // Compiled when it is first needed: all of them at once take a tenth of the start.
  let known: ReturnType<typeof Compile> | undefined
  const shape = schema as SchemaShape
  const hasSpellings = /"enum"|"uuid"|"date-time"/.test(JSON.stringify(shape))
  return (value) => {
    let input: unknown = value ?? {}
    if (part === 'query' || part === 'form') input = readTexts(shape, input as Record<string, unknown>)
    if (part === 'body') input = withoutNulls(shape, input)
    if (hasSpellings) input = spell(shape, input)
    known ??= Compile(schema)
    if (known.Check(input)) return input
    throw invalid(sentence(shape, part, known.Errors(input) as unknown as Fault[]))
  }
}

function readTexts(schema: SchemaShape, query: Record<string, unknown>): Record<string, unknown> {
  const read: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const value = query[name]
    if (value === undefined) continue
    read[name] = typeof value === 'string' ? readText(property, value) : value
  }
  return read
}

function readText(schema: SchemaShape, text: string): unknown {
  if ((schema.type === 'integer' || schema.type === 'number') && /^-?\d{1,15}(\.\d+)?$/.test(text)) return Number(text)
  if (schema.type === 'boolean' && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  return text
}

function spell(schema: SchemaShape, value: unknown): unknown {
  if (schema['format'] === 'uuid') return typeof value === 'string' ? value.toLowerCase() : value
  if (schema['format'] === 'date-time') return typeof value === 'string' ? inUtc(value) : value
  if (schema.anyOf) return schema.anyOf.reduce<unknown>((spelled, option) => spell(option, spelled), value)
  if (schema.enum) {
    return typeof value === 'string' ? (schema.enum.find((known) => sameText(known, value)) ?? value) : value
  }
  if (schema.items && Array.isArray(value)) return value.map((item) => spell(schema.items as SchemaShape, item))
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  const { properties = {}, additionalProperties: others } = schema
  if (!schema.properties && typeof others !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const own = Object.hasOwn(properties, name) ? properties[name] : typeof others === 'object' && others
      return [name, own ? spell(own, item) : item]
    }),
  )
}

const timestamp = new RegExp(timestampPattern)

/** In UTC with milliseconds. What is no instant of the years 1 to 9999 comes back as something that the schema refuses. */
function inUtc(text: string): string {
  if (!timestamp.test(text)) return ''
  const [year, month, day] = text.slice(0, 10).split('-').map(Number) as [number, number, number]
  const isDay = new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day
  const instant = isDay ? new Date(text) : new Date(Number.NaN)
  const utc = Number.isNaN(instant.getTime()) ? '' : instant.toISOString()
  return /^(?!0000)\d{4}-/.test(utc) ? utc : ''
}

function sameText(known: unknown, given: string): boolean {
  return typeof known === 'string' && known.toLowerCase() === given.toLowerCase()
}

function sentence(schema: SchemaShape, part: Part, faults: Fault[]): string {
  // Where other properties have a schema, a wrong one is no unknown one; its own fault says more.
  const unknown = faults.find(
    (fault) =>
      fault.keyword === 'additionalProperties' &&
      containerIn(schemaAt(schema, fault.instancePath) ?? {}).additionalProperties === false,
  )
  const fault =
    unknown ?? faults.find(({ keyword }) => keyword !== 'boolean' && keyword !== 'additionalProperties') ?? faults[0]
  if (!fault) return `The ${part} is not valid.`
  const what = part === 'query' ? 'query parameter' : part === 'params' ? 'path parameter' : 'field'
  const at = fault.instancePath.slice(1).replaceAll('/', '.')
  const inside = (name: unknown) => (at === '' ? String(name) : `${at}.${String(name)}`)

  if (fault.keyword === 'required') {
    return `The ${what} ${inside((fault.params['requiredProperties'] as unknown[])[0])} is required.`
  }
  if (fault.keyword === 'additionalProperties') {
    return `Unknown ${what} "${inside((fault.params['additionalProperties'] as unknown[])[0])}".`
  }
  if (at === '')
    return part === 'body' ? `The body must be a JSON ${schema.type ?? 'value'}.` : `The ${part} is not valid.`
  return `The ${what} ${at} ${complaint(schemaAt(schema, fault.instancePath) ?? {}, fault)}.`
}

const article = (noun: string) => `${/^[aeiouI]/.test(noun) ? 'an' : 'a'} ${noun}`

function complaint(schema: SchemaShape, fault: Fault): string {
  const limit = fault.params['limit'] ?? fault.params['limits']
  switch (fault.keyword) {
    case 'minimum':
      return `must be at least ${limit ?? schema['minimum']}`
    case 'exclusiveMinimum':
      return `must be greater than ${limit ?? schema['exclusiveMinimum']}`
    case 'maximum':
      return `must be at most ${limit ?? schema['maximum']}`
    case 'minLength':
      return 'must not be empty'
    case 'maxLength':
      return `must have at most ${limit ?? schema['maxLength']} characters`
    case 'maxItems':
      return `must have at most ${limit ?? schema['maxItems']} items`
    case 'minItems': {
      const least = Number(limit ?? schema['minItems'])
      return least === 1 ? 'must not be empty' : `must have at least ${least} items`
    }
    case 'enum':
      return `must be one of ${(schema.enum ?? []).join(', ')}`
    default:
      return `must be ${article(typeName(schema))}`
  }
}
