import type { Call } from '../http/index.ts'
import type { ApplicationCall, ApplicationCalls } from './application-call.ts'
import { splitAddress } from './application-calls.ts'
import { bodyOf, passOn } from './pass-on.ts'

export async function apiGet(calls: ApplicationCalls, request: Call<'ApiGet'>) {
  const { url, srv } = request.query
  const call: ApplicationCall = { verb: 'GET', ...splitAddress(url) }
  if (srv) call.baseUrl = srv
  return passOn(calls, request, call, bodyOf)
}
