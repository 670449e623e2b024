// An example for every body and answer. What the contract gives is taken; the rest is made from the schema, with values people recognise.
import type { SchemaShape } from '../schema/schema-shape.ts'

const known: Readonly<Record<string, unknown>> = {
  email: 'anna@example.com',
  accountEmail: 'anna@example.com',
  notificationEmail: 'anna@example.com',
  url: 'https://example.com/orders',
  firstName: 'Anna',
  lastName: 'Berg',
  organizationName: 'Example',
  name: 'Orders',
  workflowName: 'Orders',
  blockName: 'Fetch orders',
  lastExecutedBlockTitle: 'Fetch orders',
  displayName: 'Orders',
  shortName: 'SHOPIFY',
  applicationShortName: 'SHOPIFY',
  scheduleFrequency: '*/15 * * * *',
  timeZone: 'Europe/Oslo',
  version: '1',
  script: 'return 1',
  contentType: 'text/csv',
  consumer: 'pbc_…',
  secretKey: 'pbs_…',
  password: '…',
  secret: 'whsec_…',
  csrfToken: '…',
  address: '203.0.113.7',
  method: 'GET',
  header: 'X-Signature',
  signedText: '{timestamp}.{body}',
  lastRunStatus: 'Ready',
  variableSource: 'Value',
}
const id = '0198c0de-0000-7000-8000-000000000001'
const instant = '2026-03-01T08:00:00.000Z'

export function exampleOf(schema: SchemaShape, name = ''): unknown {
  if (schema['default'] !== undefined) return schema['default']
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf) return exampleOf(schema.anyOf[0] as SchemaShape, name)
  switch (schema.type) {
    case 'string':
      return textFor(schema, name)
    case 'integer':
    case 'number':
      return Math.max(1, Number(schema['minimum'] ?? 1))
    case 'boolean':
      return true
    case 'null':
      return null
    case 'array':
      return [exampleOf(schema.items ?? {}, name)]
    case 'object':
      return objectFor(schema)
    default:
      return name === '' ? { id: 1 } : 1
  }
}

function objectFor(schema: SchemaShape): Record<string, unknown> {
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => [
    name,
    exampleOf(property, name),
  ])
  const others =
    typeof schema.additionalProperties === 'object'
      ? schema.additionalProperties
      : Object.values((schema['patternProperties'] ?? {}) as Record<string, SchemaShape>)[0]
  return Object.fromEntries(others ? [...properties, ['name', exampleOf(others)]] : properties)
}

function textFor(schema: SchemaShape, name: string): string {
  if (schema['format'] === 'uuid' || schema.title === 'GUID') return id
  if (schema['format'] === 'date-time') return instant
  if (schema.title === 'e-mail address') return 'anna@example.com'
  const text = known[name]
  return typeof text === 'string' ? text : '…'
}
