// Lists of addresses and CIDR ranges, IPv4 and IPv6, as people write them in restriction lists and settings.
import { BlockList, isIP } from 'node:net'

/** Undefined when the entry is neither an address nor a CIDR range. */
function parseEntry(entry: string): { address: string; family: 'ipv4' | 'ipv6'; prefix: number } | undefined {
  const [address = '', prefixText, ...rest] = entry.trim().split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0 || address.includes('%')) return undefined
  const bits = version === 4 ? 32 : 128
  if (prefixText !== undefined && !/^\d{1,3}$/.test(prefixText)) return undefined
  const prefix = prefixText === undefined ? bits : Number(prefixText)
  return prefix > bits ? undefined : { address, family: version === 4 ? 'ipv4' : 'ipv6', prefix }
}

export function isAddressOrCidr(entry: string): boolean {
  return parseEntry(entry) !== undefined
}

/** A check of one address against the list. Entries must have passed `isAddressOrCidr`. */
export function addressMatcher(entries: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const entry of entries) {
    const parsed = parseEntry(entry)
    if (!parsed) throw new Error(`${entry} is neither an address nor a CIDR range`)
    list.addSubnet(parsed.address, parsed.prefix, parsed.family)
  }
  // BlockList also matches IPv4-mapped IPv6 addresses against IPv4 entries.
  return (address) => {
    const version = isIP(address)
    return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6')
  }
}
