/** Vectors that the senders themselves publish in their documentation. */
import { expect, test } from 'vitest'
import { verifySignature } from '../../src/webhooks/signature/verify.ts'

const vectors = [
  {
    name: 'GitHub',
    secret: "It's a Secret to Everybody",
    body: 'Hello, World!',
    time: 0,
    headers: { 'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17' },
  },
  {
    name: 'Standard Webhooks',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    body: '{"test": 2432232314}',
    time: 1_614_265_330,
    headers: {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
  },
  {
    name: 'Svix',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    body: '{"test": 2432232314}',
    time: 1_614_265_330,
    headers: {
      'svix-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'svix-timestamp': '1614265330',
      'svix-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
  },
  {
    name: 'Slack',
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
    time: 1_531_420_618,
    headers: {
      'x-slack-request-timestamp': '1531420618',
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    },
  },
]

test.each(vectors)('the published vector of $name is accepted', ({ name, secret, body, time, headers }) => {
  const request = {
    method: 'POST',
    url: () => '',
    headers,
    rawBody: Buffer.from(body),
    secrets: [secret],
    now: new Date(time * 1000),
  }
  expect(verifySignature(request)).toMatchObject({ ok: true, format: name })
  expect(verifySignature({ ...request, rawBody: Buffer.from(`${body} `) }).ok).toBe(false)
})
