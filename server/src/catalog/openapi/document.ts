import { parse } from 'yaml'
import { isObject, type JsonMembers } from '../../lib/json.ts'

const openApiBytesMax = 8 * 1024 * 1024
const refDepthMax = 50

/** Why a document cannot be used, in words for the person who brought it. */
export class OpenApiRefusal extends Error {}

export const objectOf = (value: unknown): JsonMembers => (isObject(value) ? value : {})
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
/** The first characters of a text, none of them halved. */
export const cut = (text: string, length: number): string => text.slice(0, length).toWellFormed()
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

export type OpenApiDocument = { root: JsonMembers; resolve: (value: unknown) => JsonMembers }

/** `isSwagger2`: it says some things in places of its own. */
export type ReadDocument = OpenApiDocument & { isSwagger2: boolean }

export function readOpenApi(text: string): ReadDocument {
  if (Buffer.byteLength(text) > openApiBytesMax) throw new OpenApiRefusal('The document is larger than 8 MiB.')
  // Some programs put a mark of the byte order before everything else.
  const root = parseText(text.replace(/^\uFEFF/, ''))
  if (!isObject(root)) throw new OpenApiRefusal('The document is not an object.')
  const isSwagger2 = requireKnownVersion(root)
  if (!isObject(root['paths'])) throw new OpenApiRefusal('The document has no "paths".')
  return { root, isSwagger2, resolve: (value) => resolveReference(root, value) }
}

/** True for Swagger 2.0, which is older than OpenAPI and says some things elsewhere. */
function requireKnownVersion(root: JsonMembers): boolean {
  // A number without quotes is a number in YAML.
  const version = String(root['swagger'] ?? root['openapi'] ?? '')
  if (version === '') throw new OpenApiRefusal('The key "openapi" is missing.')
  if (root['swagger'] !== undefined ? /^2(\.0)?$/.test(version) : /^3\.[0-2](\.|$)/.test(version)) {
    return root['swagger'] !== undefined
  }
  const name = root['swagger'] === undefined ? 'OpenAPI' : 'Swagger'
  throw new OpenApiRefusal(`${name} ${version} is not supported. Use OpenAPI 3.0 to 3.2 or Swagger 2.0.`)
}

function parseText(text: string): unknown {
  try {
    // JSON first: it is far quicker for the large documents that machines write.
    if (/^\s*\{/.test(text)) return JSON.parse(text)
  } catch (error) {
    throw new OpenApiRefusal(`The document is not valid JSON: ${(error as Error).message}`)
  }
  try {
    return parse(text, { maxAliasCount: 1000 })
  } catch (error) {
    throw new OpenApiRefusal(`The document is not valid YAML: ${(error as Error).message.split('\n')[0]}`)
  }
}

/** Follows `$ref` within the document; fields beside it (a description in 3.1) stand over those it points to. */
function resolveReference(root: JsonMembers, value: unknown): JsonMembers {
  let current = objectOf(value)
  let beside: JsonMembers = {}
  for (let depth = 0; typeof current['$ref'] === 'string'; depth += 1) {
    const { $ref: reference, ...others } = current
    if (depth >= refDepthMax) throw new OpenApiRefusal(`The reference "${reference}" is circular.`)
    beside = { ...others, ...beside }
    current = objectOf(followPointer(root, String(reference)))
  }
  return { ...current, ...beside }
}

function followPointer(root: JsonMembers, reference: string): unknown {
  if (!reference.startsWith('#')) {
    throw new OpenApiRefusal(`The reference "${reference}" points outside the document. Bundle it into one file first.`)
  }
  let current: unknown = root
  for (const step of reference.slice(1).split('/').slice(1)) {
    const key = decodeStep(step)
    const inside = typeof current === 'object' && current !== null && Object.hasOwn(current, key)
    if (!inside) throw new OpenApiRefusal(`The reference "${reference}" does not exist in the document.`)
    current = (current as JsonMembers)[key]
  }
  return current
}

function decodeStep(step: string): string {
  const plain = step.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(plain)
  } catch {
    // A lone per cent sign is part of a name, not an escape.
    return plain
  }
}
