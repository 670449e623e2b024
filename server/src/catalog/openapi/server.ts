import type { CredentialField } from '../format/definition.ts'
import { cut, listOf, type OpenApiDocument, objectOf, textOf } from './document.ts'

/** More would be no list to choose from. */
const optionsMax = 200

export type ServerAddress = { baseUrl: string; allowedHosts: string[]; fields: CredentialField[]; warnings: string[] }

/** The first server becomes the base address; its variables become fields of the registration, under names that are not taken. */
export function readServer(
  { root }: OpenApiDocument,
  sourceUrl: string | undefined,
  taken: readonly string[],
): ServerAddress {
  const servers = listOf(root['servers']).map(objectOf)
  const server = servers[0] ?? {}
  const fields: CredentialField[] = []
  const warnings = servers.length > 1 ? ['The document names several servers; the first is used.'] : []
  const variables = objectOf(server['variables'])
  let url = textOf(server['url']).replace(/\{([^}]+)\}/g, (whole, name: string, offset: number) => {
    const variable = objectOf(variables[name])
    const standard = String(variable['default'] ?? '')
    const plain = name
      .replace(/[^A-Za-z0-9_]/g, '_')
      .replace(/^(\d)/, '_$1')
      .slice(0, 50)
    const isTaken = taken.some((other) => other.toLowerCase() === plain.toLowerCase())
    const shortName = isTaken ? `${plain}OfServer` : plain
    // A variable for the scheme is no choice worth a field, and an address must start with its scheme.
    if (offset === 0) return standard === '' ? whole : standard
    const listed = listOf(variable['enum']).map(String)
    const options = listed.length > optionsMax ? [] : listed
    if (!fields.some((field) => field.ShortName === shortName)) {
      fields.push({
        ShortName: shortName,
        DisplayName: name,
        Type: options.length > 0 ? 'select' : 'text',
        Required: standard === '',
        ...(options.length > 0 ? { Options: options } : {}),
        ...(textOf(variable['description']) ? { Description: cut(textOf(variable['description']), 4000) } : {}),
        ...(standard === '' || (options.length > 0 && !options.includes(standard)) ? {} : { Default: standard }),
      })
    }
    return `{${shortName}}`
  })
  url = url.replace(/[?#].*$/, '').replace(/\/+$/, '')
  if (!/^https?:\/\//i.test(url)) {
    const resolved = sourceUrl ? URL.parse(url === '' ? '/' : url, sourceUrl)?.href.replace(/\/+$/, '') : undefined
    if (resolved && fields.length === 0) url = resolved
    else return { ...askForAddress(url), fields: [baseUrlField, ...fields], warnings }
  }
  const host = /^https?:\/\/([^/]+)/i.exec(url)?.[1] ?? ''
  return { baseUrl: url, allowedHosts: [host], fields, warnings }
}

const baseUrlField: CredentialField = { ShortName: 'baseUrl', DisplayName: 'Base address', Type: 'url', Required: true }

function askForAddress(path: string) {
  const below = path.startsWith('/') ? path : ''
  return { baseUrl: `{baseUrl}${below}`, allowedHosts: ['{baseUrl}'] }
}

/**
 * The address of an operation that has servers of its own: null when it is the application's, undefined when it cannot be used. Its
 * variables have their defaults: one field of the registration cannot mean two addresses.
 */
export function readOperationServer(
  servers: readonly unknown[],
  baseUrl: string,
  sourceUrl: string | undefined,
): string | null | undefined {
  if (servers.length === 0) return null
  const server = objectOf(servers[0])
  const variables = objectOf(server['variables'])
  const text = textOf(server['url']).replace(/\{([^}]+)\}/g, (whole, name: string) =>
    String(objectOf(variables[name])['default'] ?? whole),
  )
  const url = URL.parse(text, sourceUrl ?? (baseUrl.includes('{') ? undefined : baseUrl))
  if (!url || /[{}]|%7[bd]/i.test(url.href) || !/^https?:$/.test(url.protocol)) return undefined
  if (url.username !== '' || url.password !== '') return undefined
  // What belongs to an https service never travels in the clear.
  if (url.protocol === 'http:' && !baseUrl.startsWith('http:')) return undefined
  const address = `${url.origin}${url.pathname}`.replace(/\/+$/, '')
  return address === baseUrl ? null : address
}
