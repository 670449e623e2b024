// What an operation takes as its body, and which of its fields become variables of the block.
import { isObject, type JsonMembers } from '../../lib/json.ts'
import { listOf, type OpenApiDocument, objectOf, textOf } from './document.ts'

/** More would be no form to fill in. */
const fieldsMax = 50
const nestingMax = 20

export type BodyField = { name: string; schema: JsonMembers; isRequired: boolean; isFile: boolean }

export type RequestBody = {
  contentType: string
  required: boolean
  /** Empty unless the body is an object of simple fields. */
  fields: BodyField[]
  /** Form fields whose lists are numbered: `expand[0]=…`. */
  numberedLists: string[]
}

/** Null: it takes none. Undefined: only one that a block cannot send. */
export function readBody(document: OpenApiDocument, operation: JsonMembers): RequestBody | null | undefined {
  if (operation['requestBody'] === undefined) return null
  const body = document.resolve(operation['requestBody'])
  const content = objectOf(body['content'])
  const contentType = chooseType(Object.keys(content))
  if (contentType === undefined) return undefined
  const media = document.resolve(content[contentType])
  const encoding = Object.entries(objectOf(media['encoding']))
  return {
    contentType,
    required: body['required'] === true,
    fields: /json|form/i.test(contentType) ? readFields(document, media['schema']) : [],
    numberedLists: encoding.flatMap(([name, how]) => (objectOf(how)['style'] === 'deepObject' ? [name] : [])),
  }
}

function chooseType(types: readonly string[]): string | undefined {
  if (types.length === 0) return 'application/json'
  return (
    types.find((type) => /[/+]json\b/i.test(type)) ??
    types.find((type) => /^application\/x-www-form-urlencoded\b/i.test(type)) ??
    types.find((type) => !/^multipart\//i.test(type)) ??
    types.find((type) => /^multipart\/form-data\b/i.test(type))
  )
}

function readFields(document: OpenApiDocument, schema: unknown): BodyField[] {
  const { properties, required } = collect(document, schema, 0)
  const fields: BodyField[] = []
  for (const [name, value] of Object.entries(properties)) {
    const field = document.resolve(value)
    if (field['readOnly'] === true) continue
    if (!isSimple(document, field)) return []
    fields.push({ name, schema: field, isRequired: required.includes(name), isFile: isFile(field) })
  }
  return fields.length > fieldsMax ? [] : fields
}

/** Properties of an object, also of one that is put together by `allOf`. */
function collect(
  document: OpenApiDocument,
  value: unknown,
  depth: number,
): { properties: JsonMembers; required: unknown[] } {
  const schema = document.resolve(value)
  if (depth > nestingMax || schema['oneOf'] !== undefined || schema['anyOf'] !== undefined) {
    return { properties: {}, required: [] }
  }
  const parts = listOf(schema['allOf']).map((part) => collect(document, part, depth + 1))
  return {
    properties: Object.assign({}, ...parts.map((part) => part.properties), objectOf(schema['properties'])),
    required: [...parts.flatMap((part) => part.required), ...listOf(schema['required'])],
  }
}

function isSimple(document: OpenApiDocument, schema: JsonMembers): boolean {
  const types = listOf(schema['type']).concat(schema['type']).map(textOf)
  if (types.includes('array')) return isObject(schema['items']) && isPlain(document.resolve(schema['items']))
  return isPlain(schema)
}

function isPlain(schema: JsonMembers): boolean {
  const types = listOf(schema['type'])
    .concat(schema['type'])
    .filter((type) => type !== undefined && type !== 'null' && !Array.isArray(type))
  return types.length > 0 && types.every((type) => /^(string|integer|number|boolean)$/.test(textOf(type)))
}

function isFile(schema: JsonMembers): boolean {
  return schema['format'] === 'binary' || textOf(schema['contentMediaType']) !== ''
}
