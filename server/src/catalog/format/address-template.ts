/**
 * Text with `{field}` in it. A credential is data of a customer: put into an address it must not be able to move the
 * address to another host, so each value is judged by the position in which it lands.
 */
export type TemplateValues = Readonly<Record<string, string | number | boolean | null | undefined>>

const placeholder = /\{(\$?[A-Za-z_][A-Za-z0-9_]*)\}/g

export function fieldsIn(template: string): string[] {
  return [...template.matchAll(placeholder)].map((match) => match[1] ?? '')
}

/** For headers, tokens and form values: the value as it is; an absent one is the empty text. */
export function expandText(template: string, values: TemplateValues): string {
  return template.replace(placeholder, (_, name: string) => String(values[name] ?? ''))
}

/** Throws when a value is missing or could change the meaning of the address; the message names the field. */
export function expandAddress(template: string, values: TemplateValues): string {
  const whole = template.replace(placeholder, (_, name: string, offset: number) => {
    const value = String(values[name] ?? '')
    if (value === '') throw new Error(`The field "${name}" is needed for the address and is empty.`)
    // At the very start the field is an address itself; it keeps its own path but no trailing slash.
    if (offset === 0) return withoutTrailingSlash(checkWholeAddress(name, value))
    const before = template.slice(0, offset)
    const inHost = /^[a-z]+:\/\/[^/?#]*$/i.test(before)
    if (!inHost) return value.split('/').map(encodeURIComponent).join('/')
    if (!/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(value)) {
      throw new Error(`The field "${name}" may only contain letters, digits, dots and hyphens.`)
    }
    return value
  })
  const address = URL.parse(whole)
  if (!address || !/^https?:$/.test(address.protocol)) throw new Error(`"${whole}" is not an http or https address.`)
  return whole
}

function checkWholeAddress(name: string, value: string): string {
  const address = URL.parse(value.trim())
  if (!address || !/^https?:$/.test(address.protocol)) {
    throw new Error(`The field "${name}" must be an address that starts with http:// or https://.`)
  }
  if (address.username !== '' || address.password !== '') {
    throw new Error(`The field "${name}" must not contain a user name or password.`)
  }
  return value.trim()
}

const withoutTrailingSlash = (text: string) => text.replace(/\/+$/, '')

/** A pattern of `allowedHosts` with its fields filled in; an address stands for its host and port. */
export function expandHostPattern(pattern: string, values: TemplateValues): string {
  return pattern
    .replace(placeholder, (_, name: string) => {
      const value = String(values[name] ?? '')
      const host = value.includes('://') ? (URL.parse(value)?.host ?? '') : value
      // A star in a credential would widen the pattern to hosts that the application never meant.
      return host.includes('*') ? '' : host
    })
    .toLowerCase()
}

/** `host` is host or host:port of the address that is about to be called, without a default port. */
export function matchesHost(pattern: string, host: string): boolean {
  const wanted = pattern.toLowerCase()
  const actual = host.toLowerCase()
  if (wanted === '') return false
  return wanted.startsWith('*.')
    ? actual.endsWith(wanted.slice(1)) && actual.length > wanted.length - 1
    : actual === wanted
}

/**
 * The path of a request may name fields of the registered application, as in `sites/{host}:{sitePath}`; what is not a
 * declared field stays as it is, and secrets never go into an address.
 */
export function expandRequestPath(
  path: string,
  fields: readonly { ShortName: string; Type: string }[],
  values: TemplateValues,
): string {
  return path.replace(placeholder, (whole, name: string) => {
    const field = fields.find((candidate) => candidate.ShortName === name)
    if (!field || field.Type === 'password') return whole
    return String(values[name] ?? '')
      .split('/')
      .map(encodeURIComponent)
      .join('/')
  })
}
