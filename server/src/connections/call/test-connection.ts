// Credentials are tried before they are kept.
import { AppError } from '../../lib/app-error.ts'
import type { ConnectionAnswer } from '../connection.ts'
import { needsToken } from '../credentials/authentication.ts'
import { maskSecrets, secretValues } from '../credentials/mask-secrets.ts'
import type { Callable } from '../credentials/opened-connection.ts'
import { obtainGrant } from '../tokens/obtain-grant.ts'
import { type Grant, TokenRefused } from '../tokens/token-request.ts'
import { type CallDeps, callTarget, describeRefusal, targetOf } from './call-target.ts'
import { toAppError } from './send.ts'
import { testRequestOf } from './test-request.ts'

export type TestOutcome = {
  grant: Grant | undefined
  /** Why nothing could be found out; null when the test succeeded or there is nothing to test. */
  faultMessage: string | null
}

/** Throws AppError, in the target's words, when the target refuses the credentials. `grant` is a token that is already there. */
export async function testConnection(deps: CallDeps, to: Callable, given?: Grant): Promise<TestOutcome> {
  let grant = given
  const secrets = () => secretValues(to.application, to.values, [grant?.accessToken ?? '', grant?.refreshToken ?? ''])
  const tell = (message: string) => maskSecrets(message, secrets()).replaceAll('\0', '').slice(0, 1000)
  try {
    if (grant === undefined && needsToken(to.authentication)) grant = await obtainGrant(deps, to, undefined)
  } catch (error) {
    if (!(error instanceof TokenRefused)) throw error
    if (error.isFinal) throw new AppError('credentials_refused', tell(error.message), { cause: error })
    return { grant: undefined, faultMessage: tell(error.message) }
  }
  const request = to.application.testRequest
  if (request === undefined) return { grant, faultMessage: null }
  let answer: ConnectionAnswer
  try {
    const options = { target: targetOf(to, request), token: grant?.accessToken }
    answer = await callTarget(deps, to, testRequestOf(request), options)
  } catch (error) {
    const known = toAppError(error)
    if (known instanceof AppError && known.code === 'target_unreachable') {
      return { grant, faultMessage: tell(known.message) }
    }
    throw known
  }
  if (answer.statusCode >= 200 && answer.statusCode < 300) return { grant, faultMessage: null }
  const said = describeRefusal(request.method, answer, secrets())
  if (answer.statusCode === 401 || answer.statusCode === 403) {
    throw new AppError('credentials_refused', tell(`The application refuses these credentials. ${said}`))
  }
  // Another refusal says that the test request does not fit. An application that is busy or broken says nothing about the credentials.
  const isBusy = answer.statusCode === 429 || answer.statusCode >= 500
  return { grant, faultMessage: isBusy ? null : tell(`The test request did not succeed. ${said}`) }
}
