// Schemas get a name and are referred to by it. What has no name of its own stands where it is used.
//
// A request takes more than an answer shows: values of an enum are matched without regard to case, and null stands for an optional field that
// is not given. A schema that holds either therefore has two forms; the one for requests is called …Input.
import type { TSchema } from 'typebox'
import { isAbsentWhenNull } from '../schema/null-is-absence.ts'
import type { SchemaShape } from '../schema/schema-shape.ts'

type Side = 'request' | 'answer'

export class ComponentSchemas {
  readonly schemas: Record<string, SchemaShape> = {}
  readonly #names = new Map<string, string>()
  readonly #requestNames = new Set<string>()

  constructor(named: Readonly<Record<string, TSchema>>) {
    for (const [name, schema] of Object.entries(named)) this.#names.set(keyOf(plain(schema)), name)
  }

  /** The schema, or a reference where it has a name. `ownName` is for one that has none yet and is worth one. */
  refer(schema: TSchema, side: Side, ownName?: string): SchemaShape {
    const shape = plain(schema)
    const key = keyOf(shape)
    if (ownName && shape.type === 'object' && !this.#names.has(key)) {
      this.#names.set(key, ownName)
      if (side === 'request') this.#requestNames.add(ownName)
    }
    return this.#use(shape, side)
  }

  #use(shape: SchemaShape, side: Side): SchemaShape {
    const known = this.#names.get(keyOf(shape))
    if (known === undefined) return this.#inside(shape, side)
    const hasInput = side === 'request' && takesMoreThanItShows(shape) && !this.#requestNames.has(known)
    const name = hasInput ? `${known}Input` : known
    if (!(name in this.schemas)) {
      // Its place is taken before it is filled: a schema may hold itself.
      this.schemas[name] = {}
      this.schemas[name] = this.#inside(shape, side)
    }
    const described = this.schemas[name]?.description === shape.description ? {} : { description: shape.description }
    const withDefault = shape['default'] === undefined ? {} : { default: shape['default'] }
    return { $ref: `#/components/schemas/${name}`, ...described, ...withDefault } as SchemaShape
  }

  #inside(shape: SchemaShape, side: Side): SchemaShape {
    if (shape.enum) return side === 'request' ? anySpelling(shape) : { type: 'string', ...shape }
    const { properties, items, anyOf, additionalProperties, ...rest } = shape
    const patterns = rest['patternProperties'] as Record<string, SchemaShape> | undefined
    return {
      ...rest,
      ...(patterns ? { patternProperties: this.#each(patterns, side) } : {}),
      ...(properties ? { properties: this.#fields(shape, side) } : {}),
      ...(items ? { items: this.#use(items, side) } : {}),
      ...(anyOf ? { anyOf: anyOf.map((option) => this.#use(option, side)) } : {}),
      ...(additionalProperties === undefined
        ? {}
        : {
            additionalProperties:
              typeof additionalProperties === 'object' ? this.#use(additionalProperties, side) : additionalProperties,
          }),
    }
  }

  #fields(shape: SchemaShape, side: Side): Record<string, SchemaShape> {
    const fields = this.#each(shape.properties ?? {}, side)
    if (side === 'answer') return fields
    return Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [name, isAbsentWhenNull(shape, name) ? orNull(field) : field]),
    )
  }

  #each(schemas: Record<string, SchemaShape>, side: Side): Record<string, SchemaShape> {
    return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, this.#use(schema, side)]))
  }
}

function orNull({ description, default: preset, ...schema }: SchemaShape): SchemaShape {
  return {
    ...(description === undefined ? {} : { description }),
    ...(preset === undefined ? {} : { default: preset }),
    anyOf: [...(schema.anyOf && Object.keys(schema).length === 1 ? schema.anyOf : [schema]), { type: 'null' }],
  }
}

/** Generated clients offer the values as they are written; validators let any other case pass, as the service does. */
function anySpelling({ enum: values, description, ...rest }: SchemaShape): SchemaShape {
  const words = description ? `${description} ` : ''
  return {
    ...rest,
    description: `${words}Case is ignored.`,
    anyOf: [
      { type: 'string', enum: values as unknown[] },
      { type: 'string', pattern: `^(${(values as string[]).map(ignoringCase).join('|')})$` },
    ],
  }
}

function ignoringCase(text: string): string {
  return text.replaceAll(/[A-Za-z]|[^\w]/g, (character) =>
    /[A-Za-z]/.test(character) ? `[${character.toUpperCase()}${character.toLowerCase()}]` : `\\${character}`,
  )
}

function takesMoreThanItShows(shape: SchemaShape): boolean {
  const others = typeof shape.additionalProperties === 'object' ? [shape.additionalProperties] : []
  const patterns = Object.values((shape['patternProperties'] as Record<string, SchemaShape> | undefined) ?? {})
  const fields = Object.values(shape.properties ?? {})
  const inside = [...fields, ...patterns, ...others, ...(shape.anyOf ?? []), ...(shape.items ? [shape.items] : [])]
  const hasOptional = Object.keys(shape.properties ?? {}).some((name) => isAbsentWhenNull(shape, name))
  return shape.enum !== undefined || hasOptional || inside.some(takesMoreThanItShows)
}

/** Without what only the library that made it needs. */
function plain(schema: TSchema): SchemaShape {
  const { $id: _, ...shape } = JSON.parse(JSON.stringify(schema)) as SchemaShape
  return shape
}

/** Two schemas that differ only in what is said about them are the same type. */
function keyOf({ description: _, default: __, ...shape }: SchemaShape): string {
  return JSON.stringify(shape)
}
