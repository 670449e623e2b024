// What an answer says about the connection:
//   2xx                          -> sound
//   401 with current credentials -> faulted
//   403 of the test request      -> faulted
//   403 of any other call        -> the test request decides, made at once; without one it means nothing: the caller may not do this one thing
//   what the caller asked for, and everything else (time-outs, 429, 5xx) -> nothing
import { AppError } from '../../lib/app-error.ts'
import type { ConnectionAnswer, ConnectionRequest } from '../connection.ts'
import type { OpenedConnection } from '../credentials/opened-connection.ts'
import type { Faults } from '../faults/faults.ts'
import { describeRefusal } from './call-target.ts'

export type Judged = {
  request: ConnectionRequest
  answer: ConnectionAnswer
  /** False when a newer token was to be had and was not tried, or could not be obtained for now. */
  hasCurrentCredentials: boolean
  /** The token that the call carried; it may be newer than the one that was opened. */
  token: string | undefined
}

/** `makeTestRequest` judges its own answer; undefined where the application declares none. */
export async function judgeAnswer(
  faults: Faults,
  opened: OpenedConnection,
  { request, answer, hasCurrentCredentials, token }: Judged,
  makeTestRequest: (() => Promise<unknown>) | undefined,
): Promise<void> {
  const { statusCode } = answer
  if (statusCode >= 200 && statusCode < 300) {
    if (opened.connection.isFaulted) await faults.clear(opened, 'target')
    return
  }
  if (request.acceptedCodes?.includes(statusCode)) return
  const isRefused = statusCode === 401 ? hasCurrentCredentials : statusCode === 403 && request.isTestRequest === true
  if (isRefused) {
    const secrets = token === undefined ? opened.secrets : [...opened.secrets, token]
    await faults.set(opened, 'target', describeRefusal(request.method, answer, secrets))
  } else if (statusCode === 403 && makeTestRequest) await testOnce(opened.connection.id, makeTestRequest)
}

const underWay = new Map<string, Promise<unknown>>()

/** Many calls may be refused in the same moment; one test request answers for all of them. */
function testOnce(id: string, makeTestRequest: () => Promise<unknown>): Promise<unknown> {
  const running = underWay.get(id)
  if (running !== undefined) return running
  const testing = makeTestRequest()
    .catch((error: unknown) => {
      // A test request without an answer decides nothing.
      if (!(error instanceof AppError)) throw error
    })
    .finally(() => underWay.delete(id))
  underWay.set(id, testing)
  return testing
}
