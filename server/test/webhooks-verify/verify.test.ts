import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { customFormat, problemOf } from '../../src/webhooks/signature/custom-format.ts'
import { readDeliveryId } from '../../src/webhooks/signature/headers.ts'
import { generateSecret } from '../../src/webhooks/signature/secret.ts'
import { deliveryIdOf, type SignedRequest, verifySignature } from '../../src/webhooks/signature/verify.ts'
import { body, hmac, now, type SampleFormat, sampleFormats, secret, url } from './sign.ts'

const request = (headers: SignedRequest['headers'], rest: Partial<SignedRequest> = {}): SignedRequest => ({
  headers,
  method: 'POST',
  url: () => url,
  rawBody: body,
  secrets: [secret],
  now,
  // Only requests that carry its header are judged by it.
  custom: headers['x-shop-proof'] === undefined ? undefined : configured,
  ...rest,
})
const sampleOf = (wanted: string) => sampleFormats.find(({ name }) => name === wanted)!
const configured = customFormat(sampleOf('configured').custom!)
const isAccepted = (given: SignedRequest) => verifySignature(given).ok
const secondsFromNow = (offset: number) => String(now.getTime() / 1000 + offset)
const flipBit = (bytes: Uint8Array, at: number) => bytes.map((byte, index) => (index === at ? byte ^ 1 : byte))
const flipCharacter = (text: string, at: number) => {
  const index = at < 0 ? text.length + at : at
  return `${text.slice(0, index)}${text[index] === 'A' ? 'B' : 'A'}${text.slice(index + 1)}`
}

/** Ways to spoil a good request that must each be noticed, whatever the format. */
function mutations(format: SampleFormat): [string, SignedRequest][] {
  const good = format.sign()
  const value = good[format.header]!
  const withValue = (changed: string | string[] | undefined) => request({ ...good, [format.header]: changed as string })
  const list: [string, SignedRequest][] = [
    ['no header', withValue(undefined)],
    ['empty header', withValue('')],
    ['blank header', withValue(' ')],
    ['two headers', withValue([value, value])],
    [
      'two headers joined',
      withValue(['Standard Webhooks', 'Svix'].includes(format.name) ? `${value},${value}` : `${value}, ${value}`),
    ],
    ['text in front', withValue(`x${value}`)],
    ['text behind', withValue(`${value}x`)],
    ['cut short by one', withValue(value.slice(0, -1))],
    ['cut in half', withValue(value.slice(0, value.length / 2))],
    ['first character changed', withValue(flipCharacter(value, 0))],
    ['signature character changed', withValue(flipCharacter(value, 20))],
    ['another secret', request(format.sign({ secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}` }))],
    ['an empty secret', request(format.sign({ secret: '' }))],
    ['the bare prefix as secret', request(format.sign({ secret: 'whsec_' }))],
    ['secret in another case', request(format.sign({ secret: secret.toLowerCase() }))],
    ['no secret configured', request(good, { secrets: [] })],
    ['an empty secret configured', request(format.sign({ secret: '' }), { secrets: [''] })],
    ['a blank secret configured', request(format.sign({ secret: '  ' }), { secrets: ['  '] })],
    ['only the prefix configured', request(format.sign({ secret: 'whsec_' }), { secrets: ['whsec_'] })],
    ['a lost secret configured', request(format.sign({ secret: 'null' }), { secrets: [null, undefined] })],
    ['the word undefined as secret', request(format.sign({ secret: 'undefined' }), { secrets: [undefined] })],
  ]
  // The bare secret is no signature: it proves the sender and says nothing about the body.
  if (format.name === 'secret') return list
  list.push(
    ['first byte of the body changed', request(good, { rawBody: flipBit(body, 0) })],
    ['last byte of the body changed', request(good, { rawBody: flipBit(body, body.length - 1) })],
    ['byte outside UTF-8 changed', request(good, { rawBody: flipBit(body, body.indexOf(0xff)) })],
    ['body read as text', request(good, { rawBody: Buffer.from(body.toString('utf8')) })],
    ['empty body', request(good, { rawBody: Buffer.alloc(0) })],
    ['body doubled', request(good, { rawBody: Buffer.concat([body, body]) })],
    ['newline behind the body', request(good, { rawBody: Buffer.concat([body, Buffer.from('\n')]) })],
  )
  for (const name of format.signedHeaders) {
    list.push(
      [`no ${name}`, request({ ...good, [name]: undefined })],
      [`empty ${name}`, request({ ...good, [name]: '' })],
      [`${name} changed`, request({ ...good, [name]: flipCharacter(good[name]!, -1) })],
      [`${name} twice`, request({ ...good, [name]: [good[name]!, good[name]!] })],
      [`${name} with a space`, request({ ...good, [name]: ` ${good[name]}` })],
    )
  }
  return list
}

describe.each(sampleFormats)('$name', (format) => {
  test('accepts a good request', () => {
    expect(verifySignature(request(format.sign()))).toMatchObject({ ok: true, format: format.name })
  })

  test('accepts an empty body that was signed', () => {
    const empty = new Uint8Array(0)
    expect(isAccepted(request(format.sign({ body: empty }), { rawBody: empty }))).toBe(true)
  })

  test('accepts the secret before during the overlap, and it alone no longer afterwards', () => {
    const before = generateSecret()
    const old = format.sign({ secret: before })
    expect(isAccepted(request(old, { secrets: [secret, before] }))).toBe(true)
    expect(isAccepted(request(old, { secrets: [secret] }))).toBe(false)
    expect(isAccepted(request(format.sign(), { secrets: [secret, ''] }))).toBe(true)
  })

  const spoiled = mutations(format)
  test('has at least 20 mutations to withstand', () => expect(spoiled.length).toBeGreaterThanOrEqual(20))
  test.each(spoiled)('refuses: %s', (_, given) => {
    const verdict = verifySignature(given)
    expect(verdict.ok).toBe(false)
    // The reason goes to whoever asked, so nothing secret may be in it.
    expect(JSON.stringify(verdict)).not.toContain(secret)
  })

  test('refuses every single changed bit of the signature header', () => {
    const good = format.sign()
    const value = good[format.header]!
    fc.assert(
      fc.property(fc.nat(value.length - 1), fc.nat(6), (at, bit) => {
        const changed = String.fromCharCode(value.charCodeAt(at) ^ (1 << bit))
        // Hexadecimal digits mean the same in either case.
        fc.pre(changed.toLowerCase() !== value[at]!.toLowerCase())
        expect(
          isAccepted(request({ ...good, [format.header]: value.slice(0, at) + changed + value.slice(at + 1) })),
        ).toBe(false)
      }),
    )
  })
})

describe.each(
  sampleFormats.filter(({ name }) =>
    ['Standard Webhooks', 'Svix', 'Stripe', 'Slack', 'HubSpot', 'configured'].includes(name),
  ),
)('the timestamp of $name', (format) => {
  test('may be up to 5 minutes off, both ways', () => {
    for (const offset of [-300, -1, 0, 1, 300]) {
      expect(isAccepted(request(format.sign({ time: secondsFromNow(offset) })))).toBe(true)
    }
    for (const offset of [-86_400, -301, 301, 86_400]) {
      expect(isAccepted(request(format.sign({ time: secondsFromNow(offset) })))).toBe(false)
    }
  })

  test('may be given in milliseconds', () => {
    expect(isAccepted(request(format.sign({ time: `${secondsFromNow(-299)}000` })))).toBe(true)
    expect(isAccepted(request(format.sign({ time: `${secondsFromNow(-301)}000` })))).toBe(false)
  })

  test.each(['', 'now', '1e9', '-5', '+1794657600', '1794657600.0', '0x6af86c40', ' 1794657600', '999999999999999'])(
    'refuses "%s" although it is signed',
    (time) => expect(isAccepted(request(format.sign({ time })))).toBe(false),
  )
})

describe('Standard Webhooks', () => {
  const format = sampleFormats[0]!
  const good = format.sign()
  const signature = good['webhook-signature']!

  test('one good signature among several is enough, other versions do not count', () => {
    const wrong = `v1,${Buffer.alloc(32).toString('base64')}`
    const withList = (list: string) => isAccepted(request({ ...good, 'webhook-signature': list }))
    expect(withList(`${wrong} v1a,abc ${signature}`)).toBe(true)
    expect(withList(`${wrong} ${wrong}`)).toBe(false)
    expect(withList(signature.replace('v1,', 'v1a,'))).toBe(false)
    expect(withList(signature.replace('v1,', 'v2,'))).toBe(false)
  })

  test('the border between id, time and body cannot be moved', () => {
    // Signed as id "a", some time, and a body that begins like another time: with a dot in the id it reads "a.<time>".
    const inner = secondsFromNow(0)
    const moved = format.sign({ id: 'a', time: secondsFromNow(-3_600), body: Buffer.from(`${inner}.evil`) })
    const replay = { ...moved, 'webhook-id': `a.${secondsFromNow(-3_600)}`, 'webhook-timestamp': inner }
    expect(isAccepted(request(replay, { rawBody: Buffer.from('evil') }))).toBe(false)
  })

  test('a secret without the prefix is its own key, or the key it encodes', () => {
    const phrase = 'a phrase that somebody typed'
    const encoded = Buffer.alloc(24, 5).toString('base64')
    const sign = (key: Buffer) => ({
      'webhook-id': 'm',
      'webhook-timestamp': secondsFromNow(0),
      'webhook-signature': `v1,${hmac(key, `m.${secondsFromNow(0)}.`, body).toString('base64')}`,
    })
    expect(isAccepted(request(sign(Buffer.from(phrase)), { secrets: [phrase] }))).toBe(true)
    expect(isAccepted(request(sign(Buffer.from(encoded)), { secrets: [encoded] }))).toBe(true)
    expect(isAccepted(request(sign(Buffer.alloc(24, 5)), { secrets: [encoded] }))).toBe(true)
    // Four letters are base64 of three bytes, which anybody can try out: only the letters themselves count.
    expect(isAccepted(request(sign(Buffer.from('abcd', 'base64')), { secrets: ['abcd'] }))).toBe(false)
  })

  test('with the prefix only the decoded rest is the key', () => {
    const sign = (key: Buffer) =>
      `v1,${hmac(key, `${good['webhook-id']}.${good['webhook-timestamp']}.`, body).toString('base64')}`
    expect(isAccepted(request({ ...good, 'webhook-signature': sign(Buffer.from(secret)) }))).toBe(false)
    const broken = 'whsec_not*base64*at*all'
    expect(isAccepted(request({ ...good, 'webhook-signature': sign(Buffer.alloc(0)) }, { secrets: [broken] }))).toBe(
      false,
    )
  })
})

describe('Stripe', () => {
  test('one good v1 among several is enough; two times are refused', () => {
    const [time, good] = sampleFormats[2]!.sign()['stripe-signature']!.split(',') as [string, string]
    const accepts = (value: string) => isAccepted(request({ 'stripe-signature': value }))
    expect(accepts(`${time},v1=${'0'.repeat(64)},${good}`)).toBe(true)
    expect(accepts(`${time}, v0=${'0'.repeat(64)}, ${good}`)).toBe(true)
    expect(accepts(`${time},${time},${good}`)).toBe(false)
    expect(accepts(good)).toBe(false)
    expect(accepts(time)).toBe(false)
    expect(accepts(`${time},${good.replace('v1', 'v0')}`)).toBe(false)
  })
})

describe('several headers', () => {
  test('a wrong signature is not made good by another proof', () => {
    const headers = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}`, 'x-webhook-secret': secret }
    expect(isAccepted(request(headers))).toBe(false)
  })

  test('a delivery id alone does not announce Standard Webhooks', () => {
    expect(isAccepted(request({ 'webhook-id': 'x', ...sampleFormats[1]!.sign() }))).toBe(true)
  })

  test('a request without any proof is told so', () => {
    expect(verifySignature(request({ 'content-type': 'application/json' }))).toEqual({
      ok: false,
      reason: 'The request has no known signature header. Sign it, or send the secret in X-Webhook-Secret.',
    })
  })
})

test('a generated secret is the prefix and 32 random bytes', () => {
  const one = generateSecret()
  expect(one).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(Buffer.from(one.slice(6), 'base64')).toHaveLength(32)
  expect(generateSecret()).not.toBe(one)
})

describe('delivery ids', () => {
  test.each(['webhook-id', 'x-github-delivery', 'x-shopify-webhook-id', 'idempotency-key'])('come from %s', (name) => {
    expect(readDeliveryId({ [name]: ' id-1 ' })).toBe('id-1')
  })

  test('the more specific header wins', () => {
    expect(readDeliveryId({ 'idempotency-key': 'b', 'webhook-id': 'a' })).toBe('a')
  })

  test.each([
    {},
    { 'webhook-id': '' },
    { 'webhook-id': '  ' },
    { 'webhook-id': ['a', 'b'] },
    { 'webhook-id': 'x'.repeat(256) },
  ])('%j has none', (headers) => expect(readDeliveryId(headers)).toBeUndefined())
})

describe('signed ids of deliveries', () => {
  const idOf = (format: string, headers: Record<string, string> = {}, text?: string) => {
    const rawBody = text === undefined ? body : Buffer.from(text)
    const given = request({ ...sampleOf(format).sign({ body: rawBody }), ...headers }, { rawBody })
    const verdict = verifySignature(given)
    return verdict.ok ? deliveryIdOf(verdict, given.headers) : verdict.reason
  }
  const unsigned = { 'idempotency-key': 'another', 'x-github-delivery': 'another' }

  test.each([
    ['Standard Webhooks', undefined, 'msg_1'],
    ['Svix', undefined, 'msg_1'],
    ['configured', undefined, 'd-1'],
    ['Stripe', '{"id":"evt_1"}', 'evt_1'],
    ['Slack', '{"event_id":"Ev1"}', 'Ev1'],
  ])('%s: no header goes before it', (format, text, id) => {
    expect(idOf(format, unsigned, text)).toBe(id)
    expect(idOf(format, { ...unsigned, ...(format === 'Standard Webhooks' ? {} : { 'webhook-id': 'x' }) }, text)).toBe(
      id,
    )
  })

  test('where none is signed, headers count, and then the signature that covers the time', () => {
    expect(idOf('Stripe', unsigned, '{"id":5}')).toBe('another')
    expect(idOf('Slack', {}, 'token=x')).toMatch(/^signature /)
    expect(idOf('GitHub', unsigned)).toBe('another')
    expect(idOf('GitHub')).toBeUndefined()
  })
})

describe('X-Hub-Signature', () => {
  const sha1 = { 'x-hub-signature': `sha1=${'0'.repeat(40)}` }

  test('with SHA-1 is ignored beside a better one, and proves nothing by itself', () => {
    expect(isAccepted(request({ ...sha1, ...sampleOf('GitHub').sign() }))).toBe(true)
    expect(isAccepted(request({ ...sha1, ...sampleOf('Patchbay').sign() }))).toBe(true)
    expect(isAccepted(request(sha1))).toBe(false)
  })
})

describe('what was signed together with a time', () => {
  test('is not proven again by a format that signs none', () => {
    const { 'x-hubspot-signature-v3': signature, 'x-hubspot-request-timestamp': time } = sampleOf('HubSpot').sign()
    const rawBody = Buffer.concat([
      Buffer.from('POSThttps://hooks.example.com/in/01?from=a:b%20c'),
      body,
      Buffer.from(time!),
    ])
    expect(isAccepted(request({ 'x-xero-signature': signature }, { rawBody }))).toBe(false)
    const custom = configured
    expect(isAccepted(request(sampleOf('Patchbay').sign(), { custom }))).toBe(false)
    expect(isAccepted(request(sampleOf('Stripe').sign(), { custom }))).toBe(true)
  })
})

describe('a format of the settings', () => {
  const plain = { header: 'X-Proof', algorithm: 'sha256', encoding: 'hex', signedText: '{body}' } as const

  test.each(['sha1', 'sha512'] as const)('may use %s', (algorithm) => {
    const custom = customFormat({ ...plain, algorithm, encoding: 'base64' })
    const proof = createHmac(algorithm, secret).update(body).digest('base64')
    expect(isAccepted(request({ 'x-proof': proof }, { custom }))).toBe(true)
    expect(isAccepted(request({ 'x-proof': proof }, { custom, rawBody: flipBit(body, 3) }))).toBe(false)
    expect(isAccepted(request({ 'x-proof': sampleOf('Xero').sign()['x-xero-signature'] }, { custom }))).toBe(false)
  })

  test('may name a header with an id that is not signed', () => {
    const custom = customFormat({ ...plain, idHeader: 'X-Delivery' })
    const proof = hmac(Buffer.from(secret), body).toString('hex')
    const given = request({ 'x-proof': proof, 'x-delivery': 'a', 'idempotency-key': 'b' }, { custom })
    const verdict = verifySignature(given)
    expect(verdict.ok && deliveryIdOf(verdict, given.headers)).toBe('a')
  })

  test.each([
    [{ header: 'X Proof' }, 'header'],
    [{ signedText: '{timestamp}' }, '{body}'],
    [{ signedText: '{body}{body}' }, '{body}'],
    [{ signedText: '{body}{secret}' }, '{secret}'],
    [{ signedText: '{timestamp}.{body}' }, 'timestampHeader'],
    [{ timestampHeader: 'X-Time' }, 'timestampHeader'],
    [{ signedText: '{id}.{body}' }, 'idHeader'],
    [{ idHeader: 'X:Id' }, 'idHeader'],
  ])('%j cannot be used', (change, words) => {
    expect(problemOf({ ...plain, ...change })).toContain(words)
  })

  test('an id that could move the border to its neighbours is refused', () => {
    for (const id of ['a|b', 'a.b', 'a b', 'ä', 'x'.repeat(256)])
      expect(isAccepted(request(sampleOf('configured').sign({ id })))).toBe(false)
  })
})
