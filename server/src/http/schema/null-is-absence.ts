// Many clients write null for "not given". An optional field of a request body that is null therefore counts as absent, unless its schema
// gives null a meaning of its own (resetting a value, say). Required fields, items of lists and entries of maps keep their null.
import type { SchemaShape } from './schema-shape.ts'

/** The same value where nothing was dropped. */
export function withoutNulls(schema: SchemaShape, value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  if (schema.anyOf) return schema.anyOf.reduce<unknown>((left, option) => withoutNulls(option, left), value)
  if (Array.isArray(value)) return schema.items ? eachItem(schema.items, value) : value
  return schema.properties || typeof schema.additionalProperties === 'object' ? eachField(schema, value) : value
}

function eachItem(schema: SchemaShape, items: unknown[]): unknown[] {
  const kept = items.map((item) => withoutNulls(schema, item))
  return kept.some((item, index) => item !== items[index]) ? kept : items
}

function eachField(schema: SchemaShape, value: object): object {
  const fields = Object.entries(value)
  const kept = fields
    .filter(([name, item]) => item !== null || !isAbsentWhenNull(schema, name))
    .map(([name, item]): [string, unknown] => {
      const own = fieldOf(schema, name)
      return [name, own ? withoutNulls(own, item) : item]
    })
  const isSame = kept.length === fields.length && kept.every(([, item], index) => item === fields[index]?.[1])
  return isSame ? value : Object.fromEntries(kept)
}

function fieldOf({ properties, additionalProperties }: SchemaShape, name: string): SchemaShape | undefined {
  if (properties && Object.hasOwn(properties, name)) return properties[name]
  return typeof additionalProperties === 'object' ? additionalProperties : undefined
}

/** Whether null in this named field of an object means that the field was not given. */
export function isAbsentWhenNull({ properties, required }: SchemaShape, name: string): boolean {
  if (!properties || !Object.hasOwn(properties, name) || required?.includes(name)) return false
  return !takesNull(properties[name] as SchemaShape)
}

/** A schema without any rule takes every value, so null too. */
function takesNull(schema: SchemaShape): boolean {
  if (schema.anyOf) return schema.anyOf.some(takesNull)
  if (schema.enum) return schema.enum.includes(null)
  if (schema.const !== undefined) return schema.const === null
  return schema.type === undefined || schema.type === 'null'
}
