import { describe, expect, it } from 'vitest'
import { createGuard, type Guard } from '../../src/outbound/guard/guard.ts'
import { parseEgressAllow } from '../../src/outbound/index.ts'

function guardOf(allow: string, answers: Record<string, string[]> = {}, own: string[] = []): Guard {
  return createGuard({
    allow: parseEgressAllow(allow),
    resolve: async (host) => answers[host] ?? [],
    ownAddresses: () => own,
  })
}

const resolved = async (guard: Guard, host: string, port = 443) => (await guard.resolveTarget(host, port)).kind

describe('PATCHBAY_EGRESS_ALLOW', () => {
  it('takes hosts, hosts with a port, addresses and networks', () => {
    const rules = parseEgressAllow(
      ' Intern.Example. , intern.example:8080, 10.0.0.0/8,127.0.0.1:3000, [::1]:3000, ::1,fd00::/8 ,',
    )
    expect(rules.map((rule) => [rule.kind, rule.kind === 'host' ? rule.host : rule.network.prefix, rule.port])).toEqual(
      [
        ['host', 'intern.example', undefined],
        ['host', 'intern.example', 8080],
        ['network', 8, undefined],
        ['network', 32, 3000],
        ['network', 128, 3000],
        ['network', 128, undefined],
        ['network', 8, undefined],
      ],
    )
    expect(parseEgressAllow('')).toEqual([])
  })

  it.each([
    '10.0.0.0/33',
    'http://host',
    'host:0',
    'host:70000',
    'host:',
    'a b',
    '*.intern',
    '*',
    'user@host',
    'host/path',
    '::1:x',
    'a..b',
    '[::1',
  ])('names the bad entry "%s"', (entry) =>
    expect(() => parseEgressAllow(`good.example, ${entry}`)).toThrow(`"${entry}"`),
  )
})

describe('the guard on parsed URLs', () => {
  // None of these is dialled anywhere: they lead away from this machine, so they are judged and nothing else.
  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://0251.0376.0251.0376/',
    'http://169.254.43518/',
    'http://①⑥⑨.②⑤④.①⑥⑨.②⑤④/',
    'http://[fd00:ec2::254]/',
    'http://[::ffff:169.254.169.254]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[::169.254.169.254]/',
    'http://[64:ff9b::169.254.169.254]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[64:ff9b:1::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[2002:a9fe:a9fe::1]/',
    'http://[2001:0:7f00:1::]/',
    'http://[::7f00:1]/',
    'http://10.0.0.1/',
    'http://10.1/',
    'http://172.16.0.1/',
    'http://192.168.0.1/',
    'http://3232235521/',
    'http://100.64.0.1/',
    'http://100.100.100.200/',
    'http://168.63.129.16/',
    'http://198.18.0.1/',
    'http://224.0.0.1/',
    'http://240.0.0.1/',
    'http://255.255.255.255/',
    'http://[fe80::1]/',
    'http://[fc00::1]/',
    'http://[ff02::1]/',
    'http://[2001:db8::1]/',
    'http://[fec0::1]/',
  ])('refuses %s', (url) => {
    expect(guardOf('').judgeUrl(url).kind).toBe('refused')
  })

  it.each([
    'ftp://example.com/',
    'file:///etc/passwd',
    'gopher://example.com/',
    'data:text/plain,x',
    'javascript:1',
    'ws://example.com/',
  ])('calls nothing but http and https: %s', (url) =>
    expect(guardOf('').judgeUrl(url)).toEqual({
      kind: 'malformed',
      sentence: 'Only http and https addresses can be called.',
    }),
  )

  it.each([
    'http://user@example.com/',
    'http://:pass@example.com/',
    'http://a..example/',
    'http://example.com../',
    'http://.../',
    'no address',
    '',
  ])('refuses the malformed address "%s"', (url) => expect(guardOf('').judgeUrl(url).kind).toBe('malformed'))

  it('lets public literals and names through and drops the last dot of a name', () => {
    for (const url of ['https://example.com./a?b', 'http://8.8.8.8:8080/', 'https://[2606:4700::1111]/']) {
      expect(guardOf('').judgeUrl(url).kind).toBe('open')
    }
    const verdict = guardOf('').judgeUrl('https://Example.COM.:8443/a?b')
    expect(verdict).toMatchObject({ kind: 'open', host: 'example.com', port: 8443, isNamed: false })
    expect(verdict.kind === 'open' && verdict.url.href).toBe('https://example.com:8443/a?b')
  })

  it('opens exactly what the operator names', () => {
    const guard = guardOf('127.0.0.1:3000, 10.1.0.0/16, intern.example:80')
    const kind = (url: string) => guard.judgeUrl(url).kind
    expect(kind('http://127.0.0.1:3000/')).toBe('open')
    expect(kind('http://2130706433:3000/')).toBe('open')
    expect(kind('http://127.0.0.1:3001/')).toBe('refused')
    expect(kind('http://127.0.0.2:3000/')).toBe('refused')
    expect(kind('http://[::ffff:127.0.0.1]:3000/')).toBe('refused')
    expect(kind('http://10.1.255.255:9/')).toBe('open')
    expect(kind('http://10.2.0.0/')).toBe('refused')
    expect(guard.judgeUrl('http://intern.example/')).toMatchObject({ isNamed: true })
    expect(guard.judgeUrl('http://intern.example:81/')).toMatchObject({ isNamed: false })
  })

  it('opens a metadata service only by its exact address', () => {
    expect(guardOf('0.0.0.0/0').judgeUrl('http://169.254.169.254/').kind).toBe('refused')
    expect(guardOf('169.254.0.0/16').judgeUrl('http://169.254.169.254/').kind).toBe('refused')
    expect(guardOf('169.254.169.254').judgeUrl('http://169.254.169.254/').kind).toBe('open')
  })

  it('refuses the addresses of this machine also where they are public', () => {
    const guard = guardOf('', { 'me.example': ['8.8.4.4'] }, ['8.8.4.4', '2606:4700::1', 'fe80::1%eth0'])
    expect(guard.judgeUrl('http://8.8.4.4/').kind).toBe('refused')
    expect(guard.judgeUrl('http://[2606:4700::0001]/').kind).toBe('refused')
    expect(guard.judgeUrl('http://8.8.4.5/').kind).toBe('open')
  })
})

describe('the guard on resolved names', () => {
  it('refuses a name when any of its answers is closed, in whatever order', async () => {
    const guard = guardOf('', {
      'good.example': ['8.8.8.8', '2606:4700::1111'],
      'mixed.example': ['8.8.8.8', '127.0.0.1'],
      'mixed6.example': ['::1', '8.8.8.8'],
      'cname-to-metadata.example': ['169.254.169.254'],
      'mapped.example': ['::ffff:127.0.0.1'],
      'nat64.example': ['64:ff9b::7f00:1'],
      'zone.example': ['fe80::1%eth0'],
      'text.example': ['8.8.8.8', 'localhost'],
      'octal.example': ['0177.0.0.1'],
    })
    expect(await guard.resolveTarget('good.example', 443)).toEqual({
      kind: 'open',
      addresses: ['8.8.8.8', '2606:4700::1111'],
    })
    for (const host of ['mixed', 'mixed6', 'cname-to-metadata', 'mapped', 'nat64', 'zone', 'text', 'octal']) {
      expect([host, await resolved(guard, `${host}.example`)]).toEqual([host, 'refused'])
    }
  })

  it('refuses a name without an address, also one that the operator names', async () => {
    expect(await resolved(guardOf('', {}), 'empty.example')).toBe('refused')
    expect(await resolved(guardOf('empty.example', {}), 'empty.example')).toBe('refused')
  })

  it('judges literals without asking the resolver', async () => {
    const guard = createGuard({ allow: [], resolve: () => Promise.reject(new Error('asked')), ownAddresses: () => [] })
    expect(await resolved(guard, '8.8.8.8')).toBe('open')
    expect(await resolved(guard, '[2606:4700::1111]')).toBe('open')
    expect(await resolved(guard, '127.0.0.1')).toBe('refused')
    expect(await resolved(guard, '::1')).toBe('refused')
  })

  it('opens a named host wherever it leads and a network for every name that leads into it', async () => {
    const answers = {
      'intern.example': ['10.0.0.5'],
      'other.example': ['10.0.0.5', '10.0.0.6'],
      'half.example': ['10.0.0.5', '10.9.0.1'],
    }
    expect(await resolved(guardOf('intern.example:443', answers), 'intern.example')).toBe('open')
    expect(await resolved(guardOf('intern.example:80', answers), 'intern.example')).toBe('refused')
    expect(await resolved(guardOf('10.0.0.0/24', answers), 'other.example')).toBe('open')
    expect(await resolved(guardOf('10.0.0.0/24', answers), 'half.example')).toBe('refused')
  })

  it('leaves out closed answers of localhost instead of refusing the open one', async () => {
    const answers = { localhost: ['::1', '127.0.0.1'], 'localhost.example': ['::1', '127.0.0.1'] }
    const guard = guardOf('127.0.0.1', answers)
    expect(await guard.resolveTarget('localhost', 80)).toEqual({ kind: 'open', addresses: ['127.0.0.1'] })
    expect(await resolved(guard, 'localhost.example')).toBe('refused')
    expect(await resolved(guardOf('', answers), 'localhost')).toBe('refused')
  })
})
