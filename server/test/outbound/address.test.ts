import { BlockList } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { networkContains, parseAddress, parseNetwork, purposeOf } from '../../src/outbound/guard/address.ts'

const purpose = (text: string) => purposeOf(parseAddress(text)!)
const octet = fc.integer({ min: 0, max: 255 })
const ipv4 = fc.tuple(octet, octet, octet, octet).map((octets) => octets.join('.'))
const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 })
const ipv6 = groups.map((values) => values.map((value) => value.toString(16)).join(':'))

const closedIpv4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const

function hexOf(text: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = text.split('.').map(Number)
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
}

describe('the purpose of an address', () => {
  it.each(
    Object.entries({
      '8.8.8.8': 'public',
      '1.1.1.1': 'public',
      '9.255.255.255': 'public',
      '11.0.0.0': 'public',
      '100.63.255.255': 'public',
      '100.128.0.0': 'public',
      '126.255.255.255': 'public',
      '128.0.0.0': 'public',
      '172.15.255.255': 'public',
      '172.32.0.0': 'public',
      '192.167.255.255': 'public',
      '198.17.255.255': 'public',
      '198.20.0.0': 'public',
      '223.255.255.255': 'public',
      '0.0.0.0': 'unspecified',
      '0.1.2.3': 'reserved',
      '10.255.255.255': 'private',
      '100.64.0.0': 'sharedCarrier',
      '127.0.0.1': 'loopback',
      '127.255.255.255': 'loopback',
      '169.254.0.1': 'linkLocal',
      '169.254.169.254': 'metadata',
      '169.254.170.2': 'metadata',
      '100.100.100.200': 'metadata',
      '168.63.129.16': 'metadata',
      '192.0.0.192': 'metadata',
      '172.31.255.255': 'private',
      '192.168.1.1': 'private',
      '198.19.255.255': 'benchmarking',
      '203.0.113.9': 'documentation',
      '239.255.255.255': 'multicast',
      '240.0.0.1': 'reserved',
      '255.255.255.255': 'broadcast',
      '::': 'unspecified',
      '::1': 'loopback',
      '::2': 'embeddedIpv4',
      '::127.0.0.1': 'embeddedIpv4',
      '::ffff:127.0.0.1': 'embeddedIpv4',
      '::ffff:8.8.8.8': 'embeddedIpv4',
      '64:ff9b::127.0.0.1': 'embeddedIpv4',
      '64:ff9b:1::1': 'embeddedIpv4',
      '2002:7f00:1::': 'embeddedIpv4',
      '2001:0:4136:e378::1': 'embeddedIpv4',
      '2001:db8::1': 'documentation',
      '2001:2::1': 'benchmarking',
      '2001:1ff::1': 'reserved',
      '3fff:fff::1': 'documentation',
      'fc00::1': 'private',
      'fdff::1': 'private',
      'fd00:ec2::254': 'metadata',
      'fe80::1': 'linkLocal',
      'febf::1': 'linkLocal',
      'fec0::1': 'private',
      'ff02::1': 'multicast',
      '100::1': 'reserved',
      '5f00::1': 'reserved',
      '4000::1': 'reserved',
      '2606:4700::1111': 'public',
      '2001:4860:4860::8888': 'public',
      '2a00:1450::1': 'public',
    }),
  )('%s is %s', (text, expected) => {
    expect(purpose(text)).toBe(expected)
  })

  it('agrees with the block list of Node on every closed IPv4 network', () => {
    const closed = new BlockList()
    for (const [network, prefix] of closedIpv4) closed.addSubnet(network, prefix)
    const edges = closedIpv4.flatMap(([network, prefix]) => {
      const first = parseAddress(network)!.value
      const last = first + (1n << BigInt(32 - prefix)) - 1n
      return [first - 1n, first, last, last + 1n].filter((value) => value >= 0n && value < 1n << 32n)
    })
    const near = fc
      .constantFrom(...edges)
      .map((value) => [24n, 16n, 8n, 0n].map((by) => (value >> by) & 255n).join('.'))
    const alsoClosed = ['metadata', 'reserved']
    fc.assert(
      fc.property(fc.oneof(ipv4, near), (text) => {
        if (closed.check(text)) expect(purpose(text)).not.toBe('public')
        else expect(['public', ...alsoClosed]).toContain(purpose(text))
      }),
      { numRuns: 2_000 },
    )
  })

  it('never takes an IPv6 form that carries an IPv4 address for public', () => {
    const forms = [
      (text: string) => `::${text}`,
      (text: string) => `::ffff:${text}`,
      (text: string) => `::ffff:${hexOf(text)}`,
      (text: string) => `::ffff:0:${hexOf(text)}`,
      (text: string) => `64:ff9b::${text}`,
      (text: string) => `64:ff9b:1::${hexOf(text)}`,
      (text: string) => `2002:${hexOf(text)}::1`,
      (text: string) => `2001:0:${hexOf(text)}::1`,
    ]
    fc.assert(
      fc.property(ipv4, fc.constantFrom(...forms), (text, form) => {
        expect(purpose(form(text))).not.toBe('public')
      }),
      { numRuns: 1_000 },
    )
  })

  it('takes no IPv6 address outside 2000::/3 for public', () => {
    fc.assert(
      fc.property(ipv6, (text) => {
        const first = Number.parseInt(text, 16)
        if (first < 0x2000 || first > 0x3fff) expect(purpose(text)).not.toBe('public')
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('reading addresses', () => {
  it('reads every spelling of an IPv6 address as the same number', () => {
    fc.assert(
      fc.property(groups, (values) => {
        const long = values.map((value) => value.toString(16).padStart(4, '0')).join(':')
        const short = new URL(`http://[${long}]/`).hostname.slice(1, -1)
        const expected = values.reduce((sum, value) => (sum << 16n) | BigInt(value), 0n)
        expect(parseAddress(long)?.value).toBe(expected)
        expect(parseAddress(short)?.value).toBe(expected)
        expect(parseAddress(long.toUpperCase())?.value).toBe(expected)
      }),
    )
  })

  it('agrees with the block list of Node on what a network holds', () => {
    const pair = fc.oneof(
      fc.tuple(ipv4, ipv4, fc.integer({ min: 0, max: 32 }), fc.constant('ipv4' as const)),
      fc.tuple(ipv6, ipv6, fc.integer({ min: 0, max: 128 }), fc.constant('ipv6' as const)),
    )
    fc.assert(
      fc.property(pair, ([network, address, prefix, family]) => {
        const list = new BlockList()
        list.addSubnet(network, prefix, family)
        const parsed = parseNetwork(`${network}/${prefix}`)!
        expect(networkContains(parsed, parseAddress(address)!)).toBe(list.check(address, family))
        expect(networkContains(parsed, parseAddress(network)!)).toBe(true)
      }),
    )
  })

  it.each([
    '',
    'localhost',
    '127.1',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '127.0.0.1.',
    '1.2.3.4.5',
    '256.1.1.1',
    'fe80::1%eth0',
    '[::1]',
    '::1::',
    ' 1.1.1.1',
  ])('"%s" is not a plain address', (text) => expect(parseAddress(text)).toBeUndefined())

  it.each(['10.0.0.0/33', '::/129', '10.0.0.0/', '10.0.0.0/-1', '10.0.0.0/08', '10.0.0.0/8/8', 'host/8'])(
    '"%s" is not a network',
    (text) => expect(parseNetwork(text)).toBeUndefined(),
  )
})
