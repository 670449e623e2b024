// Reading our own schemas: they are JSON Schema values, so what a field is called and may hold is looked up, not repeated.
export type SchemaShape = {
  type?: string
  title?: string
  description?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: SchemaShape[]
  items?: SchemaShape
  properties?: Record<string, SchemaShape>
  required?: string[]
  additionalProperties?: boolean | SchemaShape
  [keyword: string]: unknown
}

/** The schema of the value that a JSON pointer names, as far as it can be followed. */
export function schemaAt(schema: SchemaShape, pointer: string): SchemaShape | undefined {
  let at: SchemaShape | undefined = schema
  for (const step of pointer.split('/').slice(1)) {
    const holder: SchemaShape | undefined = at && containerIn(at)
    at =
      holder?.properties?.[step] ??
      holder?.items ??
      (typeof holder?.additionalProperties === 'object' ? holder.additionalProperties : undefined)
  }
  return at
}

/** Of a schema that allows null or something else too, the part that has fields or items. */
export function containerIn(schema: SchemaShape): SchemaShape {
  return schema.anyOf?.find(({ type }) => type === 'object' || type === 'array') ?? schema
}

/** A name for people: "integer", "GUID", "array of string", "string or null". */
export function typeName(schema: SchemaShape): string {
  if (schema.title) return schema.title
  if (schema.enum) return 'string'
  if (schema.anyOf) return schema.anyOf.map(typeName).join(' or ')
  if (schema.type === 'array') return `array of ${schema.items ? typeName(schema.items) : 'any'}`
  return schema.type ?? 'any'
}
