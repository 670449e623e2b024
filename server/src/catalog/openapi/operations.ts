import { isObject, type JsonMembers } from '../../lib/json.ts'
import type { Variable } from '../format/definition.ts'
import { cut, listOf, type OpenApiDocument, OpenApiRefusal, objectOf, textOf } from './document.ts'
import { type BodyField, type RequestBody, readBody } from './request-body.ts'

const operationsMax = 1000
/** The connection itself decides on these, so the standard has them ignored. */
const ownHeaders = /^(accept|content-type|authorization)$/i
const verbs = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options']

export type Operation = {
  key: string
  name: string
  description: string
  variables: Variable[]
  call: {
    verb: string
    path: string
    parameters: { name: string; in: string; variable: string; explode: boolean; style: string }[]
    contentType: string | null
    /** Fields of the body that are variables of the block. */
    fields: { name: string; variable: string }[]
    numberedLists: string[]
    /** Null: the application's own. */
    baseUrl: string | null
    /** Null where the document does not say: JSON where it is, else text. */
    responseType: 'Json' | 'Text' | 'Binary' | null
  }
}

/** `serverOf` gives the address of an operation that has a server of its own; undefined when it cannot be used. */
export function readOperations(
  document: OpenApiDocument,
  serverOf: (servers: readonly unknown[]) => string | null | undefined,
): { operations: Operation[]; warnings: string[] } {
  const operations: Operation[] = []
  const warnings: string[] = []
  for (const [path, value] of Object.entries(objectOf(document.root['paths']))) {
    if (!path.startsWith('/')) continue
    const item = document.resolve(value)
    for (const verb of verbs) {
      if (!isObject(item[verb])) continue
      const baseUrl = serverOf(listOf(objectOf(item[verb])['servers'] ?? item['servers']))
      if (baseUrl === undefined) {
        warnings.push(`${verb.toUpperCase()} ${path} has a server of its own, which cannot be used.`)
      }
      const operation = readOperation(document, path, verb, item)
      if (operation) operations.push({ ...operation, call: { ...operation.call, baseUrl: baseUrl ?? null } })
      else {
        warnings.push(
          `${verb.toUpperCase()} ${path} is left out: it takes a multipart body that is not multipart/form-data.`,
        )
      }
    }
  }
  if (operations.length > operationsMax) {
    throw new OpenApiRefusal(
      `The document has ${operations.length} operations; at most ${operationsMax} can be imported.`,
    )
  }
  if (operations.length === 0) throw new OpenApiRefusal('The document has no operation that can be imported.')
  return { operations, warnings }
}

function readOperation(document: OpenApiDocument, path: string, verb: string, item: JsonMembers): Operation | null {
  const operation = objectOf(item[verb])
  // A parameter of the operation stands over one of the same name and place at its path.
  const parameters = new Map<string, JsonMembers>()
  for (const value of [...listOf(item['parameters']), ...listOf(operation['parameters'])]) {
    const parameter = document.resolve(value)
    parameters.set(`${textOf(parameter['in'])} ${textOf(parameter['name'])}`, parameter)
  }
  const body = readBody(document, operation)
  if (body === undefined) return null
  const variables: Variable[] = []
  const call: Operation['call'] = {
    verb: verb.toUpperCase(),
    path: path.replace(/^\/+/, ''),
    parameters: [],
    contentType: body?.contentType ?? null,
    fields: [],
    numberedLists: body?.numberedLists ?? [],
    baseUrl: null,
    responseType: responseTypeOf(document, operation),
  }
  for (const parameter of parameters.values()) {
    const place = textOf(parameter['in'])
    const name = textOf(parameter['name'])
    if (name === '' || !['path', 'query', 'header'].includes(place)) continue
    if (place === 'header' && ownHeaders.test(name)) continue
    const shortName = freeName(name, variables)
    const style = textOf(parameter['style'])
    // Only the plainest style repeats the name by itself.
    const explodes = style === '' || style === 'form' || style === 'deepObject'
    const explode = parameter['explode'] === undefined ? explodes : parameter['explode'] === true
    call.parameters.push({ name, in: place, variable: shortName, explode, style })
    const required = place === 'path' || parameter['required'] === true
    variables.push(toVariable(document, parameter, { shortName, name, required }))
  }
  for (const field of body?.fields ?? []) {
    const shortName = freeName(field.name, variables)
    call.fields.push({ name: field.name, variable: shortName })
    variables.push(fieldVariable(document, shortName, field))
  }
  // The last one: the script knows it by its place.
  if (body) variables.push(bodyVariable(freeName('body', variables), body))
  const key = textOf(operation['operationId']) || `${verb.toUpperCase()} ${path}`
  return {
    key,
    name: cut(textOf(operation['summary']) || key, 200),
    description: cut(textOf(operation['description']) || `${verb.toUpperCase()} ${path}`, 4000),
    variables,
    call,
  }
}

/** Never required by itself: the whole body may come from a data source. */
function fieldVariable(document: OpenApiDocument, shortName: string, field: BodyField): Variable {
  const notes = [
    field.isRequired ? 'Required unless the whole body is given.' : '',
    field.isFile ? 'A file: {"$base64": "…", "fileName": "…", "contentType": "…"}.' : '',
    textOf(field.schema['description']),
  ].filter((note) => note !== '')
  const given = { schema: field.schema, description: notes.join(' ') }
  const variable = toVariable(document, given, { shortName, name: field.name, required: false })
  return field.isFile ? { ...variable, type: 'json' } : variable
}

function bodyVariable(shortName: string, { required, fields }: RequestBody): Variable {
  const note = required
    ? 'Required. If empty, the first data source is sent'
    : 'If empty, the first data source is sent'
  const description = fields.length === 0 ? note : `${note}, unless fields are given. Fields override the body`
  return { shortName, displayName: 'Body', type: 'json', required: false, description }
}

function responseTypeOf(document: OpenApiDocument, operation: JsonMembers): Operation['call']['responseType'] {
  const success = Object.entries(objectOf(operation['responses'])).find(([status]) => /^2/.test(status))?.[1]
  const types = Object.keys(objectOf(document.resolve(success)['content']))
  if (types.some((type) => /[/+]json\b/i.test(type) || type === '*/*')) return 'Json'
  if (types.length === 0) return null
  return types.some((type) => /^text\/|xml\b/i.test(type)) ? 'Text' : 'Binary'
}

function freeName(name: string, taken: readonly Variable[]): string {
  const plain = name
    .replace(/[^A-Za-z0-9_]+/g, '_')
    .replace(/^(\d|$)/, '_$1')
    .slice(0, 60)
  const isTaken = (candidate: string) =>
    taken.some((variable) => variable.shortName.toLowerCase() === candidate.toLowerCase())
  let candidate = plain
  for (let count = 2; isTaken(candidate); count += 1) candidate = `${plain}${count}`
  return candidate
}

function toVariable(
  document: OpenApiDocument,
  parameter: JsonMembers,
  { shortName, name, required }: { shortName: string; name: string; required: boolean },
): Variable {
  const schema = document.resolve(parameter['schema'])
  const items = document.resolve(schema['items'])
  const types = listOf(schema['type'])
    .concat(schema['type'])
    .filter((type) => type !== 'null')
  const options = listOf(schema['enum'] ?? items['enum'])
    .filter((value) => value !== null)
    .map(String)
  const type = variableType(textOf(types[0]), textOf(schema['format']), options.length > 0)
  const chooses = type === 'select' || type === 'multiselect'
  return {
    shortName,
    displayName: cut(name, 200),
    type,
    required,
    ...(textOf(parameter['description']) ? { description: cut(textOf(parameter['description']), 4000) } : {}),
    ...(chooses ? { options: options.slice(0, 500).map((value) => ({ value, displayName: value || '(empty)' })) } : {}),
  }
}

function variableType(type: string, format: string, hasOptions: boolean): Variable['type'] {
  if (type === 'array') return hasOptions ? 'multiselect' : 'json'
  if (type === 'object') return 'json'
  if (hasOptions) return 'select'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'boolean') return 'boolean'
  if (format === 'date' || format === 'date-time') return 'date'
  return format === 'password' ? 'password' : 'text'
}
