/**
 * Makes an application with one block template per operation out of an OpenAPI document. The result goes through the
 * same files and the same checks as anything else that is imported, so it can be exported, edited and imported again.
 */
import { createHash } from 'node:crypto'
import type { KnownItems } from '../format/check-catalog.ts'
import type { ApplicationFile, BlockTemplateFile, Catalog, CatalogFile } from '../format/definition.ts'
import { slugOf } from '../format/export-files.ts'
import { parseImportedCatalog } from '../format/load.ts'
import { writeYaml } from '../format/write-yaml.ts'
import { cut, type OpenApiDocument, OpenApiRefusal, objectOf, readOpenApi, textOf } from './document.ts'
import { type Operation, readOperations } from './operations.ts'
import { readSecurity } from './security.ts'
import { readOperationServer, readServer } from './server.ts'
import { fromSwagger2 } from './swagger-2.ts'

/** As many as an application may have. */
const hostsMax = 50

export type OpenApiOptions = {
  /** Ids follow from this (the organization's id) and the operations, so importing a newer document updates the same items. */
  namespace: string
  shortName?: string
  /** Where the document came from; relative addresses in it are meant from there. */
  sourceUrl?: string
  /** Hosts of token and authorization addresses that somebody has checked. */
  trustedHosts?: readonly string[]
}
export type OpenApiOutcome =
  | { kind: 'refused'; message: string }
  | { kind: 'read'; catalog: Catalog; files: CatalogFile[]; warnings: string[] }

export function fromOpenApi(text: string, options: OpenApiOptions, known: KnownItems = {}): OpenApiOutcome {
  try {
    const read = readOpenApi(text)
    const document = read.isSwagger2 ? fromSwagger2(read) : read
    const { files, warnings } = makeFiles(document, options)
    return { kind: 'read', files, warnings, catalog: parseImportedCatalog(files, known) }
  } catch (error) {
    if (error instanceof OpenApiRefusal) return { kind: 'refused', message: error.message }
    throw error
  }
}

function makeFiles(document: OpenApiDocument, options: OpenApiOptions) {
  const info = objectOf(document.root['info'])
  const title = textOf(info['title']) || 'Imported service'
  const shortName = options.shortName ?? (slugOf(title).replaceAll('-', '').slice(0, 40) || 'imported')
  const security = readSecurity(document, options)
  const fields = security.fields.map((field) => field.ShortName)
  const server = readServer(document, options.sourceUrl, ['baseUrl', ...fields])
  const further = new Set<string>()
  const { operations, warnings } = readOperations(document, (servers) => {
    const address = readOperationServer(servers, server.baseUrl, options.sourceUrl)
    if (address) further.add(new URL(address).host)
    return address
  })
  for (const host of server.allowedHosts) further.delete(host)
  if (further.size > 0) {
    warnings.push(`Some operations are on other hosts, which also receive the credentials: ${[...further].join(', ')}.`)
  }
  const idOf = (key: string) => stableGuid(`${options.namespace}/${shortName.toLowerCase()}/${key}`)
  const application: ApplicationFile = {
    id: idOf('application'),
    shortName,
    name: cut(title, 200),
    tag: 'Imported',
    description: cut(textOf(info['description']), 4000),
    baseUrl: server.baseUrl,
    allowedHosts: [...server.allowedHosts, ...further].slice(0, hostsMax),
    authentication: security.authentication,
    ...(Object.keys(security.headers).length > 0 ? { headers: security.headers } : {}),
    ...(Object.keys(security.query).length > 0 ? { query: security.query } : {}),
    credentialFields: [...server.fields, ...security.fields],
  }
  const folder = `applications/${shortName.toLowerCase()}`
  const files: CatalogFile[] = [{ path: `${folder}/application.yaml`, content: writeYaml(application) }]
  const taken = new Set<string>()
  for (const operation of operations) {
    let name = slugOf(operation.key)
    for (let count = 2; taken.has(name); count += 1) name = `${slugOf(operation.key)}-${count}`
    taken.add(name)
    const block: BlockTemplateFile = {
      id: idOf(`${operation.call.verb} ${operation.call.path}`),
      name: operation.name,
      description: operation.description,
      version: '1',
      state: 'Published',
      application: shortName,
      script: `${name}.js`,
      variables: operation.variables,
    }
    files.push({ path: `${folder}/blocks/${name}.yaml`, content: writeYaml(block) })
    files.push({ path: `${folder}/blocks/${name}.js`, content: operationScript(shortName, operation) })
  }
  return { files, warnings: [...server.warnings, ...security.warnings, ...warnings] }
}

/** Everything from the document enters the script as JSON, never as code. */
function operationScript(shortName: string, { call, variables }: Operation): string {
  const body = call.contentType === null ? null : variables.at(-1)?.shortName
  const table = JSON.stringify({ shortName, ...call, body }, null, 2).replace(/[\u2028\u2029]/g, '')
  return `const operation = ${table}
const given = getVariables()
const headers = {}
const query = {}
let path = operation.path
function addToQuery(name, value, explode, style) {
  const separator = style === 'spaceDelimited' ? ' ' : style === 'pipeDelimited' ? '|' : ','
  if (Array.isArray(value)) query[name] = explode ? value : value.join(separator)
  else if (typeof value !== 'object') query[name] = value
  else if (!explode) query[name] = Object.entries(value).flat().join(separator)
  else for (const key in value) query[style === 'deepObject' ? name + '[' + key + ']' : key] = value[key]
}
for (const { name, in: place, variable, explode, style } of operation.parameters) {
  const value = given[variable]
  const isGiven = value !== undefined && value !== null && value !== ''
  if (place === 'path') {
    if (!isGiven) throw new Error('The variable "' + variable + '" is needed for the address.')
    path = path.split('{' + name + '}').join([].concat(value).map((item) => encodeURIComponent(String(item))).join(','))
  } else if (isGiven && place === 'query') addToQuery(name, value, explode, style)
  else if (isGiven) headers[name] = String(value)
}
const search = fx.queryString(query)
const request = { verb: operation.verb, requestUrl: path + (search ? '?' + search : ''), headers, ...(operation.responseType && { responseType: operation.responseType }) }
if (operation.baseUrl) request.baseUrl = operation.baseUrl
if (operation.body) {
  const fields = {}
  for (const { name, variable } of operation.fields) {
    const value = given[variable]
    if (value !== undefined && value !== null && value !== '') fields[name] = value
  }
  const hasFields = Object.keys(fields).length > 0
  const whole = given[operation.body]
  const isRecord = typeof whole === 'object' && !Array.isArray(whole)
  const data = hasFields ? { ...(isRecord ? whole : {}), ...fields } : (whole ?? Datasource[0])
  if (data !== undefined && data !== null) {
    headers['Content-Type'] = operation.contentType
    request.data = data
    for (const name of operation.numberedLists) {
      if (!Array.isArray(data[name])) continue
      const { [name]: list, ...others } = request.data
      request.data = others
      list.forEach((item, index) => { request.data[name + '[' + index + ']'] = item })
    }
  }
}
return await api.send(operation.shortName, request)
`
}

/** A GUID of version 5 in a namespace of our own. */
function stableGuid(name: string): string {
  const bytes = createHash('sha1').update('patchbay openapi import\n').update(name).digest().subarray(0, 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
