import { describe, expect, test } from 'vitest'
import { type HandshakeRequest, readHandshake } from '../../src/webhooks/signature/handshake.ts'
import { now, sampleFormats, secret, url } from './sign.ts'

const ask = (rest: Partial<HandshakeRequest>) =>
  readHandshake({
    method: 'POST',
    query: {},
    headers: {},
    url: () => url,
    rawBody: Buffer.alloc(0),
    secrets: [secret],
    now,
    ...rest,
  })
const text = (body: string) => ({ kind: 'answer', contentType: 'text/plain; charset=utf-8', body })

describe('Graph', () => {
  test.each(['GET', 'POST'])('gets its validationToken back as plain text by %s', (method) => {
    const validationToken = 'Validation: <script>alert(1)</script> 100%'
    expect(ask({ method, query: { validationToken } })).toEqual(text(validationToken))
  })

  test.each(['', 'x'.repeat(4097), ['a', 'b']])('%j is no token', (validationToken) => {
    expect(ask({ query: { validationToken } })).toEqual({ kind: 'none' })
  })
})

describe('Meta', () => {
  const query = { 'hub.mode': 'subscribe', 'hub.challenge': '1158201444', 'hub.verify_token': secret }

  test('gets its challenge when the token is the secret, the one before included', () => {
    expect(ask({ method: 'GET', query })).toEqual(text('1158201444'))
    expect(ask({ method: 'GET', query, secrets: ['another', secret] })).toEqual(text('1158201444'))
  })

  test.each([[{ 'hub.verify_token': 'wrong' }], [{ 'hub.verify_token': '' }], [{ 'hub.verify_token': undefined }]])(
    'is refused with %j',
    (change) => {
      expect(ask({ method: 'GET', query: { ...query, ...change } }).kind).toBe('refused')
      expect(ask({ method: 'GET', query: { ...query, ...change }, secrets: [''] }).kind).toBe('refused')
    },
  )

  test('is not a handshake without its mode or by POST', () => {
    expect(ask({ method: 'GET', query: { ...query, 'hub.mode': undefined } })).toEqual({ kind: 'none' })
    expect(ask({ method: 'POST', query })).toEqual({ kind: 'none' })
  })
})

describe('Slack', () => {
  const slack = sampleFormats.find(({ name }) => name === 'Slack')!
  const rawBody = Buffer.from(JSON.stringify({ token: 't', challenge: '3eZbrw1aB', type: 'url_verification' }))

  test('gets its challenge, signed or not', () => {
    expect(ask({ rawBody })).toEqual(text('3eZbrw1aB'))
    expect(ask({ rawBody, headers: slack.sign({ body: rawBody }) })).toEqual(text('3eZbrw1aB'))
  })

  test('is refused with a wrong signature', () => {
    expect(ask({ rawBody, headers: slack.sign({ body: rawBody, secret: 'wrong' }) }).kind).toBe('refused')
  })

  test.each([
    'not json url_verification',
    '"url_verification"',
    'null',
    '{"type":"event_callback","challenge":"url_verification"}',
    '{"type":"url_verification"}',
    '{"type":"url_verification","challenge":5}',
    `{"type":"url_verification","challenge":"x","filler":"${'x'.repeat(17_000)}"}`,
  ])('%.60s is an ordinary request', (content) => {
    expect(ask({ rawBody: Buffer.from(content) })).toEqual({ kind: 'none' })
  })
})

test('an ordinary GET is no handshake', () => {
  expect(ask({ method: 'GET' })).toEqual({ kind: 'none' })
  expect(ask({ method: 'PUT', rawBody: Buffer.from('{"type":"url_verification","challenge":"x"}') })).toEqual({
    kind: 'none',
  })
})

describe('WooCommerce', () => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const ping = Buffer.from('webhook_id=42')

  test('gets an answer to its ping, which it does not sign', () => {
    expect(ask({ headers, rawBody: ping })).toEqual(text(''))
  })

  test.each([
    ['with a signature', { headers: { ...headers, 'x-wc-webhook-signature': 'x' }, rawBody: ping }],
    ['with more in it', { headers, rawBody: Buffer.from('webhook_id=42&x=1') }],
    ['without digits', { headers, rawBody: Buffer.from('webhook_id=') }],
    ['with words', { headers, rawBody: Buffer.from('webhook_id=4x2') }],
    ['that is no form', { headers: { 'content-type': 'application/json' }, rawBody: ping }],
    ['by PUT', { headers, rawBody: ping, method: 'PUT' }],
  ])('is an ordinary request %s', (_, request) => {
    expect(ask(request)).toEqual({ kind: 'none' })
  })
})
