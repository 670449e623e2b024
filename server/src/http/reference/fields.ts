// A schema as rows of a table, nested fields below the one they belong to.
import { type Html, html } from '../pages/html.ts'
import { type SchemaShape, typeName } from '../schema/schema-shape.ts'

type Row = { path: string; schema: SchemaShape; isRequired: boolean }

const depthMax = 4

export function fieldTable(title: string, schema: SchemaShape, isRequest: boolean): Html {
  return rowsTable(title, rowsOf(schema, '', 0), isRequest)
}

export function rowsTable(title: string, rows: readonly Row[], isRequest: boolean): Html {
  if (rows.length === 0) return html``
  return html`<table><thead><tr><th scope="col">${title}</th><th scope="col">Type</th><th scope="col">Description</th></tr></thead>
<tbody>${rows.map(({ path, schema, isRequired }) => {
    const mark = isRequest && isRequired ? html` <b class="required">required</b>` : html``
    return html`<tr><td><code>${path}</code>${mark}</td><td>${typeName(schema)}</td><td>${wordsOf(schema)}</td></tr>`
  })}</tbody></table>`
}

function rowsOf(schema: SchemaShape, prefix: string, depth: number): Row[] {
  const { inner, suffix } = unwrap(schema)
  if (depth > depthMax) return []
  const named = Object.entries(inner.properties ?? {}).map(
    ([name, property]) => [`${prefix}${suffix}${prefix || suffix ? '.' : ''}${name}`, property, name] as const,
  )
  const others = typeof inner.additionalProperties === 'object' ? inner.additionalProperties : undefined
  return [
    ...named.flatMap(([path, property, name]) => [
      { path, schema: property, isRequired: inner.required?.includes(name) === true },
      ...rowsOf(property, path, depth + 1),
    ]),
    ...(others ? rowsOf(others, `${prefix}${suffix}.{name}`.replace(/^\./, ''), depth + 1) : []),
  ]
}

/** What holds the fields: the items of a list, or the one option that is not null. */
function unwrap(schema: SchemaShape): { inner: SchemaShape; suffix: string } {
  if (schema.type === 'array' && schema.items) {
    const { inner, suffix } = unwrap(schema.items)
    return { inner, suffix: `[]${suffix}` }
  }
  const options = schema.anyOf?.filter(({ type }) => type !== 'null')
  return options?.length === 1 ? unwrap(options[0] as SchemaShape) : { inner: schema, suffix: '' }
}

function wordsOf(schema: SchemaShape): string {
  const limits = ['minimum', 'maximum', 'maxLength', 'maxItems', 'default']
    .filter((name) => schema[name] !== undefined && !(Math.abs(Number(schema[name])) >= 2_147_483_647))
    .map((name) => `${limitNames[name]} ${String(schema[name])}`)
  const values = valuesOf(schema)
  const listed = values && !values.every((value) => schema.description?.includes(value))
  return [
    schema.description ?? '',
    listed ? `One of ${values.join(', ')}.` : '',
    limits.length > 0 ? `${limits.join(', ')}.`.replace(/^./, (first) => first.toUpperCase()) : '',
  ]
    .filter((text) => text !== '')
    .join(' ')
}

const limitNames: Record<string, string> = {
  minimum: 'at least',
  maximum: 'at most',
  maxLength: 'characters at most',
  maxItems: 'items at most',
  default: 'default',
}

function valuesOf(schema: SchemaShape): string[] | undefined {
  const { inner } = unwrap(schema)
  return inner.enum?.map(String)
}
