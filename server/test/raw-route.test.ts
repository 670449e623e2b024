import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { Slots } from '../src/http/admission/slots.ts'
import { type RawAnswer, serveRawRoutes } from '../src/http/routes/raw-route.ts'
import { createMetrics } from '../src/metrics/index.ts'

it.each([
  ['at once', (answer: RawAnswer) => answer],
  ['later', (answer: RawAnswer) => Promise.resolve(answer)],
])('an answer that cannot be written, given %s, is 500 and costs no slot', async (_name, give) => {
  const slots = new Slots()
  const serve = serveRawRoutes({
    routes: [
      {
        methods: ['POST'],
        path: '/webhook/:id',
        bodyBytesMax: 1000,
        admit: () => ({
          accountId: 'a',
          workflowId: 'w',
          read: () => give({ status: 200, contentType: 'text/plain\nX-Split: 1', body: 'x' }),
        }),
      },
    ],
    metrics: createMetrics('test'),
    logger: pino({ level: 'silent' }),
    clientAddress: () => '127.0.0.1',
    slots,
    elsewhere: undefined,
    isClosing: () => false,
  })
  const server = createServer((request, response) => void serve(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook/x`
    const answer = await fetch(url, { method: 'POST', body: '{}' })
    expect([answer.status, await answer.json()]).toEqual([500, expect.objectContaining({ code: 500, response: null })])
    expect(slots.inUse().webhook).toBe(0)
  } finally {
    server.close()
    server.closeAllConnections()
  }
})
