/**
 * Says in words where a value leaves its schema. The compiled check only answers yes or no quickly; this walk runs for a
 * refused file alone, follows the one branch of a union that its discriminating constant names, and so does not bury
 * the mistake under the complaints of every other branch.
 */
import type { TSchema } from 'typebox'
import { Errors } from 'typebox/value'
import { isObject, type JsonMembers } from '../../lib/json.ts'

export type Mismatch = { path: (string | number)[]; message: string; atKey?: boolean }

type SchemaView = {
  anyOf?: SchemaView[]
  const?: unknown
  enum?: unknown[]
  type?: string
  properties?: Record<string, SchemaView>
  patternProperties?: Record<string, SchemaView>
  required?: string[]
  items?: SchemaView
  pattern?: string
  description?: string
}

function discriminators(branch: SchemaView): [string, unknown][] {
  return Object.entries(branch.properties ?? {}).flatMap(([key, schema]) =>
    schema.const === undefined ? [] : [[key, schema.const] as [string, unknown]],
  )
}

function explainUnion(branches: SchemaView[], schema: SchemaView, value: unknown, path: Mismatch['path']): Mismatch[] {
  const objects = branches.filter((branch) => branch.type === 'object')
  if (!isObject(value) || objects.length === 0) return explainLeaf(schema, value, path)
  if (objects.length === 1 && objects[0]) return explainMismatch(objects[0], value, path)
  const chosen = objects.find((branch) => {
    const constants = discriminators(branch)
    return constants.length > 0 && constants.every(([key, wanted]) => value[key] === wanted)
  })
  if (chosen) return explainMismatch(chosen, value, path)
  const key = objects.flatMap(discriminators)[0]?.[0]
  if (key === undefined) return explainLeaf(schema, value, path)
  const allowed = objects.flatMap(discriminators).map(([, constant]) => String(constant))
  return [{ path: [...path, key], message: `"${key}" must be one of ${allowed.join(', ')}` }]
}

function explainObject(schema: SchemaView, value: JsonMembers, path: Mismatch['path']): Mismatch[] {
  const found: Mismatch[] = []
  for (const key of schema.required ?? [])
    if (!(key in value)) found.push({ path: [...path, key], message: `"${key}" is missing` })
  for (const [key, item] of Object.entries(value)) {
    const known = Object.hasOwn(schema.properties ?? {}, key) ? schema.properties?.[key] : undefined
    const named = Object.entries(schema.patternProperties ?? {}).find(([pattern]) => new RegExp(pattern).test(key))?.[1]
    const inner = known ?? named
    if (inner) found.push(...explainMismatch(inner, item, [...path, key]))
    else found.push({ path: [...path, key], message: `Unknown key "${key}"`, atKey: true })
  }
  return found
}

function explainLeaf(schema: SchemaView, value: unknown, path: Mismatch['path']): Mismatch[] {
  const error = Errors(schema as TSchema, value)[0]
  if (!error) return []
  const name = typeof path.at(-1) === 'string' ? `"${path.at(-1)}" ` : ''
  if (schema.enum) return [{ path, message: `${name}must be one of ${schema.enum.join(', ')}` }]
  if (error.keyword === 'pattern' && schema.description)
    return [{ path, message: `${name}must be ${schema.description}` }]
  return [{ path, message: `${name}${error.message}` }]
}

export function explainMismatch(schema: SchemaView, value: unknown, path: Mismatch['path'] = []): Mismatch[] {
  if (schema.anyOf) return explainUnion(schema.anyOf, schema, value, path)
  if (schema.type === 'object' && isObject(value)) return explainObject(schema, value, path)
  if (schema.type === 'array' && Array.isArray(value) && schema.items) {
    const { items } = schema
    const inside = value.flatMap((item, index) => explainMismatch(items, item, [...path, index]))
    return inside.length > 0 ? inside : explainLeaf(schema, value, path)
  }
  return explainLeaf(schema, value, path)
}
