// What scripts may ask of the service, and what decides about it: the run, never an argument.

import { addressLengthMax, proxyVerbs } from '@patchbay/contract'
import type { Scope } from '../../db/index.ts'
import { AppError } from '../../lib/app-error.ts'
import { findUnknownCharset, tellUnknownCharset } from '../../lib/charset.ts'
import type { Json, JsonObject } from '../../lib/json.ts'
import { JsonText, textObject } from '../../lib/json-text.ts'
import { type ApplicationCall, type ApplicationCalls, type Exchange, endpointOf } from '../../proxy/index.ts'
import { type CallContext, type ScriptCall, ScriptCallError } from '../../sandbox/index.ts'
import type { TracedCall } from '../../tracing/index.ts'
import type { Vault } from '../../vault/index.ts'
import type { BlockTape } from '../recording/run-tape.ts'

export type ScriptPorts = {
  vault: Vault
  applications: ApplicationCalls
  /** As ApiProxyEmail; throws AppError for what it refuses. */
  sendEmail(scope: Scope, message: JsonObject): Promise<Json>
  /** As SendEvent: how many runs were woken. Absent where events reach nobody. */
  sendEvent?(accountId: string, event: { name: string; key: string | null; data: Json }): Promise<number>
}

/** The run on whose behalf a script calls. */
export type Caller = {
  scope: Scope
  workflowId: string
  /** Id of the registered application that the workflow was given under an upper-case short name. */
  applicationOf(shortName: string): string | undefined
  /** The Idempotency-Key of a write. */
  keyOfWrite(write: { verb: string; url: string; data: unknown }): string
  /** Called before a write is sent; false when the run is in other hands and nothing may be sent any more. */
  noteWrite?: ((write: { method: string; url: string; idempotencyKey: string }) => Promise<boolean>) | undefined
  /** Does what is done beside a call, such as noting or tracing it: its failure is told and does not reach the script. */
  aside(work: () => void): void
  /** Told of each call once it has ended; the key is that of a write. */
  onExchange?: ((exchange: Exchange, idempotencyKey: string | undefined) => void) | undefined
  /** Makes a call part of the trace of its run. */
  beginTrace?: ((shortName: string) => TracedCall | undefined) | undefined
  /** Takes down what the script hears from outside, for replays. */
  tape?: BlockTape | undefined
  /** What the script answers to the request that started the run; throws what the script shall see. */
  onRespond?: ((answer: JsonObject) => void) | undefined
  /** Told what the owner of the script should know of an answer; it goes to the log of the block. */
  onNote?: ((line: string) => void) | undefined
}

export async function performCall(
  ports: ScriptPorts,
  caller: Caller,
  call: ScriptCall,
  context: CallContext,
): Promise<Json | JsonText> {
  try {
    switch (call.kind) {
      case 'api.get':
        return (await callApplication(ports, caller, { ...splitUrl(call.url), verb: 'GET' }, context)).data
      case 'api.post':
        return (await callApplication(ports, caller, { ...splitUrl(call.url), verb: 'POST', data: call.data }, context))
          .data
      case 'api.send': {
        const request = readRequest(call.shortName, call.request)
        const { statusCode, headers, data } = await callApplication(ports, caller, request, context)
        if (!call.newVersion) return data
        return data instanceof JsonText ? textObject({ statusCode, headers, data }) : { statusCode, headers, data }
      }
      case 'respond':
        caller.onRespond?.(call.answer)
        return null
      case 'event': {
        const { name, key, data } = call
        return { wokenRuns: (await ports.sendEvent?.(caller.scope.accountId, { name, key, data })) ?? 0 }
      }
      case 'email.send':
        return await sendEmail(ports, caller, call.message)
      default: {
        const value = await callVault(ports.vault, caller, call)
        caller.tape?.noteVault(call, value)
        return value
      }
    }
  } catch (error) {
    // A refusal is the script's to see and to catch; anything else is our own fault and ends it.
    if (error instanceof AppError && error.status < 500)
      throw new ScriptCallError(error.message, error.response === null ? {} : { response: error.response as Json })
    throw error
  }
}

async function sendEmail(ports: ScriptPorts, caller: Caller, message: JsonObject): Promise<Json> {
  const url = mailAddress(message)
  const end = caller.tape?.beginCall({ method: mailMethod, address: url, data: message })
  try {
    const data = await ports.sendEmail(caller.scope, message)
    end?.({ url, answer: { statusCode: 200, headers: {}, body: Buffer.from(JSON.stringify(data)) } })
    return data
  } catch (error) {
    end?.({ url, errorMessage: error instanceof Error ? error.message : String(error) })
    throw error
  }
}

/** What stands for the method of a mail where calls are listed. */
export const mailMethod = 'MAIL'

/** What stands for the address of a mail: whom it is for, in the order that the script gave. */
export function mailAddress(message: JsonObject): string {
  const to = message['to'] ?? (message['toAccountEmail'] === true ? 'account' : '')
  return `mailto:${Array.isArray(to) ? to.join(',') : String(to)}`
}

/** Also for scripts that no run stands behind. */
export async function callVault(
  vault: Vault,
  { scope, workflowId }: Pick<Caller, 'scope' | 'workflowId'>,
  call: Extract<ScriptCall, { key: string }>,
): Promise<Json> {
  const at = call.scope === 'workflow' ? { workflowId } : { accountId: scope.accountId }
  switch (call.kind) {
    case 'vault.get':
      return vault.get(scope, at, call.key)
    case 'vault.contains':
      return vault.contains(scope, at, call.key)
    case 'vault.remove':
      return vault.remove(scope, at, call.key)
    case 'vault.set':
      await vault.set(scope, at, call.key, call.value)
      return true
  }
}

async function callApplication(
  { applications }: ScriptPorts,
  caller: Caller,
  call: ApplicationCall,
  context: CallContext,
) {
  const shortName = call.shortName.toUpperCase()
  const regApplicationId = caller.applicationOf(shortName)
  if (regApplicationId === undefined)
    throw new ScriptCallError(`This workflow has no application mapped to the short name ${call.shortName}.`)
  const url = `${shortName}/${call.baseUrl ?? ''}${call.requestUrl}`
  const idempotencyKey = isRead(call.verb) ? undefined : caller.keyOfWrite({ verb: call.verb, url, data: call.data })
  if (idempotencyKey !== undefined && caller.noteWrite) {
    const write = { method: call.verb, url: endpointOf(shortName, call.requestUrl), idempotencyKey }
    if (!(await caller.noteWrite(write))) throw new ScriptCallError('Another worker has taken over this run.')
  }
  const address = `${regApplicationId} ${call.baseUrl ?? ''} ${call.requestUrl}`
  const end = caller.tape?.beginCall({ method: call.verb, address, data: call.data })
  let traced: TracedCall | undefined
  caller.aside(() => {
    traced = caller.beginTrace?.(shortName)
  })
  const pause = trackPause(context)
  try {
    const answer = await applications.call(caller.scope, {
      ...call,
      ...(traced?.traceparent === undefined ? {} : { headers: { ...call.headers, traceparent: traced.traceparent } }),
      regApplicationId,
      signal: context.signal,
      onPause: pause.begin,
      onHeld: context.onHeld,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      ...(caller.onExchange || end || traced
        ? {
            // The request was sent: whatever fails in telling of it, the script gets its answer and sends nothing again.
            onExchange: (describe: () => Exchange) =>
              caller.aside(() => {
                const exchange = describe()
                end?.(exchange)
                caller.aside(() => caller.onExchange?.(exchange, idempotencyKey))
                caller.aside(() => traced?.end(exchange))
              }),
          }
        : {}),
    })
    caller.aside(() => {
      const charset = findUnknownCharset(answer.headers['content-type'])
      if (charset !== undefined && call.responseType !== 'Binary')
        caller.onNote?.(tellUnknownCharset(`The response from ${endpointOf(shortName, call.requestUrl)}`, charset))
    })
    return answer
  } finally {
    pause.end()
  }
}

function isRead(verb: string): boolean {
  return verb === 'GET' || verb === 'HEAD' || verb === 'OPTIONS'
}

/** The time in which a target asked us to wait counts as pause of the script, not as its run time. */
function trackPause(context: CallContext) {
  const timers = new Set<() => void>()
  return {
    begin(waitMs: number) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, waitMs)
      const end = () => {
        clearTimeout(timer)
        resolve()
      }
      timers.add(end)
      void context.pause(() => promise)
    },
    end() {
      for (const end of timers) end()
    },
  }
}

function splitUrl(url: string): { shortName: string; requestUrl: string } {
  const slash = url.indexOf('/')
  return slash === -1
    ? { shortName: url, requestUrl: '' }
    : { shortName: url.slice(0, slash), requestUrl: url.slice(slash + 1) }
}

/** Arguments come from a script: every field is looked at. */
function readRequest(shortName: string, request: JsonObject): ApplicationCall {
  const text = (name: string): string | undefined => {
    const value = request[name]
    if (value === undefined || value === null) return undefined
    if (typeof value !== 'string') throw new ScriptCallError(`api.send: ${name} must be a string.`)
    if (value.length > addressLengthMax)
      throw new ScriptCallError(`api.send: ${name} must have at most ${addressLengthMax} characters.`)
    return value
  }
  const verb = (text('verb') ?? 'GET').toUpperCase()
  if (!proxyVerbs.includes(verb))
    throw new ScriptCallError(`api.send: the verb must be one of ${proxyVerbs.join(', ')}.`)
  const baseUrl = text('baseUrl')
  const responseType = readResponseType(text('responseType'))
  const responseCodes = readCodes(request['responseCodes'])
  return {
    shortName,
    verb,
    requestUrl: text('requestUrl') ?? '',
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(request['data'] === undefined ? {} : { data: request['data'] }),
    ...(request['headers'] === undefined || request['headers'] === null
      ? {}
      : { headers: readHeaders(request['headers']) }),
    ...(responseType === undefined ? {} : { responseType }),
    ...(responseCodes === undefined ? {} : { responseCodes }),
  }
}

function readResponseType(text: string | undefined): 'Json' | 'Text' | 'Binary' | undefined {
  if (text === undefined) return undefined
  const known = (['Json', 'Text', 'Binary'] as const).find((type) => type.toLowerCase() === text.toLowerCase())
  if (!known) throw new ScriptCallError('api.send: responseType must be Json, Text or Binary.')
  return known
}

function readCodes(value: Json | undefined): number[] | undefined {
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value) || !value.every((code): code is number => Number.isInteger(code)))
    throw new ScriptCallError('api.send: responseCodes must be an array of status codes.')
  return value
}

function readHeaders(value: Json): Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ScriptCallError('api.send: headers must be an object.')
  return Object.fromEntries(Object.entries(value).map(([name, header]) => [name, String(header)]))
}
