import type { Call } from '../http/index.ts'
import type { ApplicationCall, ApplicationCalls } from './application-call.ts'
import { splitAddress } from './application-calls.ts'
import { bodyOf, dataOf, passOn } from './pass-on.ts'

export async function apiPost(calls: ApplicationCalls, request: Call<'ApiPost'>) {
  const { url, srv } = request.query
  const call: ApplicationCall = { verb: 'POST', ...splitAddress(url), ...dataOf(request.body.jsonData) }
  if (srv) call.baseUrl = srv
  return passOn(calls, request, call, bodyOf)
}
