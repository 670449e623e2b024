/** Host names in the one spelling in which they are compared: that of the WHATWG URL parser, without a last dot. */

/** Undefined when the text is anything but a host. IPv6 comes back in brackets, numeric spellings as dotted IPv4. */
export function normalizeHost(text: string): string | undefined {
  if (text === '' || /[\s/\\?#@%]/.test(text) || (text.includes(':') && !text.startsWith('['))) return undefined
  const url = URL.parse(`http://${text}/`)
  if (url === null || url.port !== '') return undefined
  return withoutLastDot(url.hostname)
}

/** Undefined when a label is empty or too long: such a name cannot be resolved, only misread. */
export function withoutLastDot(hostname: string): string | undefined {
  const host = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
  if (host.startsWith('[')) return host
  if (host.length > 253 || host.includes('*')) return undefined
  return host.split('.').every((label) => label !== '' && label.length <= 63) ? host : undefined
}

/** An IPv6 literal without the brackets that only URLs need. */
export function bareHost(host: string): string {
  return host.startsWith('[') ? host.slice(1, -1) : host
}
