/**
 * A Swagger 2.0 document in the terms of OpenAPI 3, as far as an import reads it. What references lead to stays in its
 * place, so they need no translation.
 */
import { isObject, type JsonMembers } from '../../lib/json.ts'
import { listOf, type OpenApiDocument, objectOf, textOf } from './document.ts'

type Resolve = OpenApiDocument['resolve']

const verbs = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options']
const flowNames: Record<string, string> = { accessCode: 'authorizationCode', application: 'clientCredentials' }
const styles: Record<string, string> = { ssv: 'spaceDelimited', pipes: 'pipeDelimited' }

export function fromSwagger2({ root, resolve }: OpenApiDocument): OpenApiDocument {
  const paths = Object.entries(objectOf(root['paths'])).map(([path, value]) => [path, toPath(root, resolve, value)])
  const schemes = Object.entries(objectOf(root['securityDefinitions'])).map(([name, value]) => [name, toScheme(value)])
  const translated = {
    ...root,
    servers: [{ url: addressOf(root) }],
    paths: Object.fromEntries(paths),
    components: { securitySchemes: Object.fromEntries(schemes) },
  }
  return { root: translated, resolve }
}

/** Without a host the document means the one that it came from. */
function addressOf(root: JsonMembers): string {
  const schemes = listOf(root['schemes']).map(String)
  const scheme = schemes.includes('https') || schemes.length === 0 ? 'https' : schemes[0]
  const host = textOf(root['host'])
  return `${host === '' ? '' : `${scheme}://${host}`}${textOf(root['basePath']) || '/'}`
}

function toPath(root: JsonMembers, resolve: Resolve, value: unknown): JsonMembers {
  const item = resolve(value)
  const operations = verbs.filter((verb) => isObject(item[verb]))
  return Object.fromEntries(operations.map((verb) => [verb, toOperation(root, resolve, item, objectOf(item[verb]))]))
}

function toOperation(root: JsonMembers, resolve: Resolve, item: JsonMembers, operation: JsonMembers): JsonMembers {
  const parameters = new Map<string, JsonMembers>()
  for (const value of [...listOf(item['parameters']), ...listOf(operation['parameters'])]) {
    const parameter = resolve(value)
    parameters.set(`${textOf(parameter['in'])} ${textOf(parameter['name'])}`, parameter)
  }
  const all = [...parameters.values()]
  const body = toBody(all, typesOf(root, operation, 'consumes'))
  const produces = typesOf(root, operation, 'produces')
  const responses = Object.entries(objectOf(operation['responses'])).map(([status, response]) => [
    status,
    toResponse(resolve(response), produces),
  ])
  return {
    ...operation,
    parameters: all.filter(({ in: place }) => place !== 'body' && place !== 'formData').map(toParameter),
    ...(body ? { requestBody: body } : {}),
    responses: Object.fromEntries(responses),
  }
}

function typesOf(root: JsonMembers, operation: JsonMembers, key: 'consumes' | 'produces'): string[] {
  return listOf(operation[key] ?? root[key]).map(String)
}

function toBody(parameters: readonly JsonMembers[], consumes: readonly string[]): JsonMembers | undefined {
  const body = parameters.find(({ in: place }) => place === 'body')
  if (body) {
    const types = consumes.length > 0 ? consumes : ['application/json']
    return {
      required: body['required'] === true,
      content: Object.fromEntries(types.map((type) => [type, { schema: body['schema'] }])),
    }
  }
  const fields = parameters.filter(({ in: place }) => place === 'formData')
  if (fields.length === 0) return undefined
  const hasFiles = fields.some(({ type }) => type === 'file')
  const isMultipart = hasFiles || (consumes.length > 0 && consumes.every((one) => one.startsWith('multipart/')))
  const type = isMultipart ? 'multipart/form-data' : 'application/x-www-form-urlencoded'
  const needed = fields.filter(({ required }) => required === true).map(({ name }) => name)
  const schema = { properties: Object.fromEntries(fields.map(toProperty)), required: needed }
  return { required: needed.length > 0, content: { [type]: { schema } } }
}

function toProperty({ name, type, required: _required, in: _place, ...schema }: JsonMembers): [string, JsonMembers] {
  return [textOf(name), type === 'file' ? { ...schema, type: 'string', format: 'binary' } : { ...schema, type }]
}

/** In Swagger the schema of a parameter is the parameter itself, and lists are separated by commas unless it says otherwise. */
function toParameter(parameter: JsonMembers): JsonMembers {
  const { name, in: place, required, description, collectionFormat, ...schema } = parameter
  const style = styles[textOf(collectionFormat)]
  return {
    name,
    in: place,
    required,
    description,
    schema,
    explode: collectionFormat === 'multi',
    ...(style ? { style } : {}),
  }
}

function toResponse(response: JsonMembers, produces: readonly string[]): JsonMembers {
  const schema = objectOf(response['schema'])
  const types = schema['type'] === 'file' ? ['application/octet-stream'] : produces
  const hasContent = response['schema'] !== undefined && types.length > 0
  return hasContent ? { ...response, content: Object.fromEntries(types.map((type) => [type, {}])) } : response
}

function toScheme(value: unknown): JsonMembers {
  const scheme = objectOf(value)
  if (scheme['type'] === 'basic') return { type: 'http', scheme: 'basic' }
  if (scheme['type'] !== 'oauth2') return scheme
  const flow = textOf(scheme['flow'])
  return { type: 'oauth2', flows: { [flowNames[flow] ?? flow]: scheme } }
}
