// Values made from JSON Schemas: good ones, and ones that are wrong in ways clients really get wrong.
import { randomUUID } from 'node:crypto'
import type { Random } from './random.ts'

export type Schema = {
  type?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  patternProperties?: Record<string, Schema>
  minimum?: number
  maximum?: number
  minLength?: number
  title?: string
  format?: string
  default?: unknown
}

/** A value that fits the schema, as far as the schema says. `ids` are used where a GUID is asked for. */
export function valid(schema: Schema, random: Random, ids: readonly string[] = [], depth = 0): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return random.pick(schema.enum)
  // Of an enum that is matched without regard to case, the values; its pattern stands beside them.
  if (schema.anyOf) return valid(schema.anyOf.find((one) => one.enum) ?? random.pick(schema.anyOf), random, ids, depth)
  switch (schema.type) {
    case 'string':
      return text(schema, random, ids)
    case 'integer':
      return (schema.minimum ?? 0) + random.below(Math.min(20, (schema.maximum ?? 1000) - (schema.minimum ?? 0) + 1))
    case 'number':
      return random.next() * 100
    case 'boolean':
      return random.chance(0.5)
    case 'null':
      return null
    case 'array':
      return Array.from({ length: depth > 3 ? 0 : random.below(3) }, () =>
        valid(schema.items ?? {}, random, ids, depth + 1),
      )
    case 'object': {
      const entries = Object.entries(schema.properties ?? {}).filter(
        ([name]) => schema.required?.includes(name) || random.chance(0.6),
      )
      return Object.fromEntries(entries.map(([name, property]) => [name, valid(property, random, ids, depth + 1)]))
    }
    default:
      return random.pick([null, true, 7, 'text', [], {}, { a: [1, { b: null }] }])
  }
}

function text(schema: Schema, random: Random, ids: readonly string[]): string {
  if (schema.format === 'uuid') return ids.length > 0 && random.chance(0.5) ? random.pick(ids) : randomUUID()
  if (schema.format === 'date-time') return new Date(Date.now() - random.below(1e9)).toISOString()
  if (schema.title === 'e-mail address') return `fuzz${random.below(1e9)}@example.com`
  return random.pick(['a', 'Zoë', 'x y', '%', '_', "'; drop table accounts; --", '日本', '{}', 'https://example.com/'])
}

const nasty: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1e308,
  0.1,
  2 ** 53,
  '',
  ' ',
  '0',
  'null',
  'a\u0000b',
  '\ud800',
  'x'.repeat(5000),
  '../../etc/passwd',
  '#{7*7}',
  [],
  [[]],
  {},
  { $ne: null },
  { __proto: 1 },
  [null],
  randomUUID(),
  randomUUID().toUpperCase(),
  '00000000-0000-0000-0000-000000000000',
]

/** A value that is likely wrong: one that fits, with something in it replaced, removed or added. */
export function spoiled(schema: Schema, random: Random, ids: readonly string[] = []): unknown {
  const value = valid(schema, random, ids)
  if (value === null || typeof value !== 'object' || random.chance(0.15)) return random.pick(nasty)
  const copy = structuredClone(value) as Record<string, unknown>
  const names = Object.keys(schema.properties ?? {})
  const name = names.length > 0 && random.chance(0.85) ? random.pick(names) : 'surprise'
  if (random.chance(0.2)) delete copy[name]
  else copy[name] = random.pick(nasty)
  return copy
}
