import { parse } from 'yaml'

const openApiBytesMax = 8 * 1024 * 1024
const refDepthMax = 50

export type Json = Record<string, unknown>

/** Why a document cannot be used, in words for the person who brought it. */
export class OpenApiRefusal extends Error {}

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const objectOf = (value: unknown): Json => (isObject(value) ? value : {})
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

export type OpenApiDocument = { root: Json; resolve: (value: unknown) => Json }

export function readOpenApi(text: string): OpenApiDocument {
  if (Buffer.byteLength(text) > openApiBytesMax) throw new OpenApiRefusal('The document is larger than 8 MiB.')
  const root = parseText(text)
  if (!isObject(root)) throw new OpenApiRefusal('The document is not an object.')
  if (typeof root['swagger'] === 'string') {
    throw new OpenApiRefusal(
      `This is Swagger ${root['swagger']}; OpenAPI 3.0 and 3.1 are understood. Convert it first.`,
    )
  }
  const version = textOf(root['openapi'])
  if (!/^3\.[01](\.|$)/.test(version)) {
    throw new OpenApiRefusal(version === '' ? 'The key "openapi" is missing.' : `OpenAPI ${version} is not understood.`)
  }
  if (!isObject(root['paths'])) throw new OpenApiRefusal('The document has no "paths".')
  return { root, resolve: (value) => resolveReference(root, value) }
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
function resolveReference(root: Json, value: unknown): Json {
  let current = objectOf(value)
  let beside: Json = {}
  for (let depth = 0; typeof current['$ref'] === 'string'; depth += 1) {
    const { $ref: reference, ...others } = current
    if (depth >= refDepthMax) throw new OpenApiRefusal(`The reference "${reference}" goes round in a circle.`)
    beside = { ...others, ...beside }
    current = objectOf(followPointer(root, String(reference)))
  }
  return { ...current, ...beside }
}

function followPointer(root: Json, reference: string): unknown {
  if (!reference.startsWith('#')) {
    throw new OpenApiRefusal(`The reference "${reference}" leads outside the document; bundle it into one file first.`)
  }
  let current: unknown = root
  for (const step of reference.slice(1).split('/').slice(1)) {
    const key = decodeStep(step)
    const inside = typeof current === 'object' && current !== null && Object.hasOwn(current, key)
    if (!inside) throw new OpenApiRefusal(`The reference "${reference}" leads to nothing.`)
    current = (current as Json)[key]
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
