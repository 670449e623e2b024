import type { Call } from '../http/index.ts'
import { JsonText, textObject } from '../lib/json-text.ts'
import type { ApplicationCall, ApplicationCalls } from './application-call.ts'
import { bodyOf, dataOf, passOn } from './pass-on.ts'

export async function apiSend(calls: ApplicationCalls, request: Call<'ApiSend'>) {
  const { params, query, body } = request
  const { verb, requestUrl } = body
  const call: ApplicationCall = { shortName: params.shortName, verb, requestUrl }
  if (body.baseUrl) call.baseUrl = body.baseUrl
  if (body.data !== undefined && body.data !== null) Object.assign(call, dataOf(body.data))
  if (body.headers) call.headers = body.headers
  if (body.responseType) call.responseType = body.responseType as NonNullable<ApplicationCall['responseType']>
  if (body.responseCodes) call.responseCodes = body.responseCodes
  return passOn(calls, request, call, (answer) => {
    const { statusCode, headers, data } = answer
    if (query.newVersion !== true) return body.responseType === 'Text' ? bodyOf(answer) : data
    return data instanceof JsonText ? textObject({ statusCode, headers, data }) : { statusCode, headers, data }
  })
}
