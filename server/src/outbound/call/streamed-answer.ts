/** An answer whose body its caller reads as it comes. */
import type { Dispatcher } from 'undici'
import type { ResponseHeaders } from '../request/request.ts'
import { type Answer, type Attempt, discardBytesMax, discardMsMax, toDispatch } from './attempt.ts'

export type StreamedBody = Dispatcher.ResponseData['body']

export const attemptStreamed: Attempt<StreamedBody> = async (pool, call, decideNext) => {
  const { deadline } = call
  // undici alone would first wait for a connection that is being made.
  const answer = await deadline.bound(pool.request({ ...toDispatch(call), signal: deadline.signal }))
  const { statusCode: status, body } = answer
  // A body that breaks while nobody reads it must not end the process; a reader hears of it all the same.
  body.on('error', () => {})
  const headers = answer.headers as ResponseHeaders
  const next = decideNext(status, headers)
  if (next === undefined) call.status = status
  else await discard(body)
  return { status, headers, body, next } satisfies Answer<StreamedBody>
}

async function discard(body: StreamedBody): Promise<void> {
  await body.dump({ limit: discardBytesMax, signal: AbortSignal.timeout(discardMsMax) }).catch(() => {})
}
