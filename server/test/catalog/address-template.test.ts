import { describe, expect, it } from 'vitest'
import {
  expandAddress,
  expandHostPattern,
  expandRequestPath,
  expandText,
  matchesHost,
} from '../../src/catalog/format/address-template.ts'

describe('a credential in an address', () => {
  it('cannot move the address to another host', () => {
    for (const shop of [
      'evil.com/',
      'evil.com#',
      'evil.com?',
      'user@evil.com',
      'a:b@evil.com',
      'x\\',
      '',
      'a b',
      '-a',
      'evil.com%2f',
      '{x}',
    ]) {
      expect(() => expandAddress('https://{shop}.myshopify.com/admin', { shop }), shop).toThrow('shop')
    }
    expect(expandAddress('https://{shop}.myshopify.com/admin', { shop: 'acme' })).toBe(
      'https://acme.myshopify.com/admin',
    )
  })
  it('is encoded inside a path and keeps its slashes', () => {
    expect(expandAddress('https://x.com/{a}/b', { a: '../c?d#e/f g' })).toBe('https://x.com/../c%3Fd%23e/f%20g/b')
  })
  it('that is an address itself must be http or https without user and password', () => {
    expect(expandAddress('{baseUrl}/v1', { baseUrl: 'http://localhost:8080/api/' })).toBe(
      'http://localhost:8080/api/v1',
    )
    for (const baseUrl of ['file:///etc', 'javascript:1', 'api.example.com', 'https://u:p@x.com']) {
      expect(() => expandAddress('{baseUrl}/v1', { baseUrl })).toThrow('baseUrl')
    }
  })
  it('never is a secret when the path of a request names it', () => {
    const fields = [
      { ShortName: 'host', Type: 'text' },
      { ShortName: 'secret', Type: 'password' },
    ]
    expect(expandRequestPath('sites/{host}/{secret}/{other}', fields, { host: 'a b', secret: 's' })).toBe(
      'sites/a%20b/{secret}/{other}',
    )
  })
  it('as text is used as it is', () => expect(expandText('Token {a}{none}', { a: '{b}' })).toBe('Token {b}'))
})

describe('a host pattern', () => {
  it('matches its host, a star any depth below it, and nothing that only looks alike', () => {
    expect(matchesHost('api.x.com', 'API.x.com')).toBe(true)
    expect(matchesHost('*.x.com', 'a.b.x.com')).toBe(true)
    for (const host of ['x.com', '.x.com', 'ax.com', 'api.x.com.evil.com', 'x.com:8080'])
      expect(matchesHost('*.x.com', host), host).toBe(false)
    expect(matchesHost('', '')).toBe(false)
  })
  it('takes host and port of an address, and no star from a credential', () => {
    expect(expandHostPattern('{u}', { u: 'https://Api.x.com:8443/v1' })).toBe('api.x.com:8443')
    expect(matchesHost(expandHostPattern('{u}', { u: '*.com' }), 'evil.com')).toBe(false)
  })
})
