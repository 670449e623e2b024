// A test that hangs must say what it was waiting for, or nobody learns anything from it.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import { describeWaiting, forgetWaiting } from '../harness/waiting-for.ts'

async function startAnswering(text: string) {
  const server = createServer((_request, response) =>
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(text),
  )
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    client: new Client(`http://127.0.0.1:${port}`, undefined),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

it('a condition that never comes true tells the last request, its answer, and what was seen', async () => {
  await using service = await startAnswering('{"status":"Waiting"}')
  const waiting = eventually(async () => (await service.client.get('/api/Run/7')).body.status === 'Ready', 50)
  await expect(waiting).rejects.toThrow(
    /^The condition did not come true within 0 s\.\nLast request, 0 s ago: GET \/api\/Run\/7 200\nLast state: \{ status: 'Waiting' \}$/,
  )
})

it('a condition that fails tells why it failed last', async () => {
  forgetWaiting()
  const waiting = eventually(() => Promise.reject(new Error('The database does not answer.')), 50)
  await expect(waiting).rejects.toThrow('No request was made.\nLast state: The database does not answer.')
})

it('a request without an answer is told as such', async () => {
  forgetWaiting()
  const unanswered = createServer(() => {})
  await new Promise<void>((done) => unanswered.listen(0, '127.0.0.1', done))
  const { port } = unanswered.address() as AddressInfo
  const sent = new Client(`http://127.0.0.1:${port}`, undefined).post('/api/RunWorkflow', {})
  expect(describeWaiting()).toBe('Last request, 0 s ago: POST /api/RunWorkflow, no answer yet')
  unanswered.closeAllConnections()
  unanswered.close()
  await expect(sent).rejects.toThrow('fetch failed')
})
