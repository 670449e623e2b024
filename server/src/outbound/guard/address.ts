/**
 * Pure judgement of IP addresses: what an address is for, decided from the registries of special-purpose addresses.
 * IPv4 is public unless listed. IPv6 is public only inside the global unicast block 2000::/3 and not listed there, so
 * that a block handed out for a new special purpose is closed until someone opens it.
 */
import { isIPv4, isIPv6 } from 'node:net'

export type Address = { family: 4 | 6; value: bigint }
export type Network = { address: Address; prefix: number }

export type AddressPurpose =
  | 'public'
  | 'unspecified'
  | 'loopback'
  | 'private'
  | 'linkLocal'
  | 'sharedCarrier'
  | 'metadata'
  | 'benchmarking'
  | 'documentation'
  | 'multicast'
  | 'broadcast'
  | 'reserved'
  /** An IPv6 form that carries an IPv4 address, and so could name any of the closed IPv4 addresses once more. */
  | 'embeddedIpv4'

/** Undefined for everything that is not a plain literal; a zone (`fe80::1%eth0`) is not plain. */
export function parseAddress(text: string): Address | undefined {
  if (isIPv4(text)) return { family: 4, value: readIpv4(text) }
  if (isIPv6(text) && !text.includes('%')) return { family: 6, value: readIpv6(text) }
  return undefined
}

export function parseNetwork(text: string): Network | undefined {
  const [literal = '', prefixText, ...rest] = text.split('/')
  const address = parseAddress(literal)
  if (address === undefined || rest.length > 0) return undefined
  const bits = bitsOf(address.family)
  if (prefixText === undefined) return { address, prefix: bits }
  if (!/^(0|[1-9]\d{0,2})$/.test(prefixText) || Number(prefixText) > bits) return undefined
  return { address, prefix: Number(prefixText) }
}

export function networkContains(network: Network, address: Address): boolean {
  if (network.address.family !== address.family) return false
  const shift = BigInt(bitsOf(address.family) - network.prefix)
  return network.address.value >> shift === address.value >> shift
}

export function isSameAddress(left: Address, right: Address): boolean {
  return left.family === right.family && left.value === right.value
}

export function isSingleAddress(network: Network): boolean {
  return network.prefix === bitsOf(network.address.family)
}

export function purposeOf(address: Address): AddressPurpose {
  for (const [network, purpose] of address.family === 4 ? specialIpv4 : specialIpv6) {
    if (networkContains(network, address)) return purpose
  }
  if (address.family === 4) return 'public'
  return networkContains(globalUnicast, address) ? 'public' : 'reserved'
}

function bitsOf(family: 4 | 6): number {
  return family === 4 ? 32 : 128
}

function readIpv4(text: string): bigint {
  return text.split('.').reduce((value, octet) => (value << 8n) | BigInt(octet), 0n)
}

function readIpv6(text: string): bigint {
  const tail = text.slice(text.lastIndexOf(':') + 1)
  let groups = text
  if (tail.includes('.')) {
    const ipv4 = readIpv4(tail)
    groups = `${text.slice(0, -tail.length)}${(ipv4 >> 16n).toString(16)}:${(ipv4 & 0xffffn).toString(16)}`
  }
  const [head = '', rest] = groups.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = rest === undefined || rest === '' ? [] : rest.split(':')
  const zeros = new Array<string>(8 - before.length - after.length).fill('0')
  return [...before, ...zeros, ...after].reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n)
}

function table(rows: readonly (readonly [string, AddressPurpose])[]): [Network, AddressPurpose][] {
  return rows.map(([text, purpose]) => {
    const network = parseNetwork(text)
    if (network === undefined) throw new Error(`${text} in the table of special addresses is not a network.`)
    return [network, purpose]
  })
}

// The first match wins: the metadata addresses of cloud providers lie inside wider blocks, or in public space.
const specialIpv4 = table([
  ['169.254.169.254/32', 'metadata'],
  ['169.254.170.2/32', 'metadata'],
  ['169.254.170.23/32', 'metadata'],
  ['100.100.100.200/32', 'metadata'],
  ['168.63.129.16/32', 'metadata'],
  ['192.0.0.192/32', 'metadata'],
  ['0.0.0.0/32', 'unspecified'],
  ['0.0.0.0/8', 'reserved'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'sharedCarrier'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'linkLocal'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'reserved'],
  ['192.0.2.0/24', 'documentation'],
  ['192.31.196.0/24', 'reserved'],
  ['192.52.193.0/24', 'reserved'],
  ['192.88.99.0/24', 'reserved'],
  ['192.168.0.0/16', 'private'],
  ['192.175.48.0/24', 'reserved'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['255.255.255.255/32', 'broadcast'],
  ['240.0.0.0/4', 'reserved'],
])

const specialIpv6 = table([
  ['fd00:ec2::254/128', 'metadata'],
  ['fd00:ec2::23/128', 'metadata'],
  ['fd20:ce::254/128', 'metadata'],
  ['::/128', 'unspecified'],
  ['::1/128', 'loopback'],
  ['::/96', 'embeddedIpv4'],
  ['::ffff:0:0/96', 'embeddedIpv4'],
  ['::ffff:0:0:0/96', 'embeddedIpv4'],
  ['64:ff9b::/96', 'embeddedIpv4'],
  ['64:ff9b:1::/48', 'embeddedIpv4'],
  ['100::/64', 'reserved'],
  ['2001::/32', 'embeddedIpv4'],
  ['2001:2::/48', 'benchmarking'],
  ['2001:db8::/32', 'documentation'],
  ['2001::/23', 'reserved'],
  ['2002::/16', 'embeddedIpv4'],
  ['2620:4f:8000::/48', 'reserved'],
  ['3fff::/20', 'documentation'],
  ['fc00::/7', 'private'],
  ['fe80::/10', 'linkLocal'],
  ['fec0::/10', 'private'],
  ['ff00::/8', 'multicast'],
])

const globalUnicast: Network = { address: { family: 6, value: 0x2000n << 112n }, prefix: 3 }
