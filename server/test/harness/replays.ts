import { expect } from 'vitest'
import type { Client } from './client.ts'
import { eventually } from './eventually.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the service answered and asserts its shape.
export async function replayToEnd(client: Client, workflowId: string, body: object = {}): Promise<any> {
  const started = await client.post(`/api/Replay/${workflowId}`, body)
  expect(started.status, started.text).toBe(200)
  return endOfReplay(client, started.body.replayId)
}

export function endOfReplay(client: Client, replayId: string) {
  return eventually(async () => {
    const answer = await client.get(`/api/Replay/${replayId}`)
    expect(answer.status, answer.text).toBe(200)
    return answer.body.state === 'Running' ? undefined : answer.body
  })
}
