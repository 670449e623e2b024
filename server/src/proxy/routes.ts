import { isGuid } from '@patchbay/contract'
import { type Principal, scopeOf } from '../access/index.ts'
import type { Connection, Connections } from '../connections/index.ts'
import type { HandlersOf, Exchange as HttpExchange } from '../http/index.ts'
import { AppError, invalid, notFound } from '../lib/app-error.ts'
import type { Json } from '../lib/json.ts'
import { JsonText, textObject } from '../lib/json-text.ts'
import type { ApplicationAnswer, ApplicationCall, ApplicationCalls } from './application-call.ts'
import { splitAddress } from './application-calls.ts'

type Deps = { connections: Connections; calls: ApplicationCalls }

export function proxyRoutes(deps: Deps): HandlersOf<'ApiAuth' | 'ApiAppVault' | 'ApiGet' | 'ApiPost' | 'ApiSend'> {
  const { connections, calls } = deps
  return {
    ApiAuth: async ({ principal, query, exchange }) => {
      const connection = await findChosen(connections, principal, query.shortName, exchange)
      const token = await connections.tokenOf(scopeOf(principal), connection)
      if (token !== undefined) return token
      throw invalid(
        `The application ${connection.shortName} has no token or session: its credentials go with every call.`,
      )
    },
    ApiAppVault: async ({ principal, query, exchange }) => {
      const connection = await findChosen(connections, principal, query.shortName, exchange)
      return connections.describeValues(scopeOf(principal), connection)
    },
    ApiGet: async ({ principal, query, exchange }) => {
      const call: ApplicationCall = { verb: 'GET', ...splitAddress(query.url) }
      if (query.srv) call.baseUrl = query.srv
      return callOnce(calls, principal, addChoice(call, exchange), ({ data }) => data)
    },
    ApiPost: async ({ principal, query, body, exchange }) => {
      const call: ApplicationCall = { verb: 'POST', ...splitAddress(query.url), ...dataOf(body.jsonData) }
      if (query.srv) call.baseUrl = query.srv
      return callOnce(calls, principal, addChoice(call, exchange), ({ data }) => data)
    },
    ApiSend: async ({ principal, params, query, body, exchange }) => {
      const { verb, requestUrl } = body
      const call: ApplicationCall = { shortName: params.shortName, verb, requestUrl }
      if (body.baseUrl) call.baseUrl = body.baseUrl
      if (body.data !== undefined && body.data !== null) Object.assign(call, dataOf(body.data))
      if (body.headers) call.headers = body.headers
      if (body.responseType) call.responseType = body.responseType as NonNullable<ApplicationCall['responseType']>
      if (body.responseCodes) call.responseCodes = body.responseCodes
      return callOnce(calls, principal, addChoice(call, exchange), ({ statusCode, headers, data }) => {
        if (query.newVersion !== true) return data
        return data instanceof JsonText ? textObject({ statusCode, headers, data }) : { statusCode, headers, data }
      })
    },
  }
}

function dataOf(given: unknown): Pick<ApplicationCall, 'data' | 'dataText'> {
  return given instanceof JsonText ? { dataText: given } : { data: given as Json }
}

/** A large answer counts as one of the target until it is one of ours. */
async function callOnce<Result>(
  calls: ApplicationCalls,
  principal: Principal,
  call: ApplicationCall,
  toAnswer: (answer: ApplicationAnswer) => Result,
): Promise<Result> {
  const releases: (() => void)[] = []
  try {
    return toAnswer(await calls.call(scopeOf(principal), { ...call, onHeld: (release) => releases.push(release) }))
  } finally {
    for (const release of releases) release()
  }
}

async function findChosen(
  connections: Connections,
  principal: Principal,
  shortName: string | undefined,
  exchange: HttpExchange,
): Promise<Connection> {
  const scope = scopeOf(principal)
  const { regApplicationId } = chosenBy(exchange)
  if (shortName === undefined && regApplicationId === undefined) {
    throw new AppError('invalid_request', 'The query value shortName or the header AppKey is required.')
  }
  const found =
    shortName === undefined
      ? await connections.get(scope, regApplicationId as string)
      : await connections.find(scope, shortName, regApplicationId)
  if (!found) throw notFound('registered application')
  return found
}

/** The header AppKey holds the id of one of several instances. */
function chosenBy(exchange: HttpExchange): { regApplicationId?: string } {
  const key = exchange.header('appkey')
  if (key === undefined || key === '') return {}
  if (!isGuid(key)) throw invalid('The header AppKey must be a GUID: the id of a registered application.')
  return { regApplicationId: key.toLowerCase() }
}

/** What the headers of a request say about the call; keys of reading calls are not used. */
function addChoice(call: ApplicationCall, exchange: HttpExchange): ApplicationCall {
  const { regApplicationId } = chosenBy(exchange)
  if (regApplicationId !== undefined) call.regApplicationId = regApplicationId
  const idempotencyKey = exchange.header('idempotency-key')
  if (idempotencyKey !== undefined) call.idempotencyKey = idempotencyKey
  return call
}
