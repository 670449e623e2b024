// What a script gives to fx.respond, checked before anybody is sent it.
import { isObject, type Json, type JsonObject } from '../lib/json.ts'
import { ScriptCallError } from '../sandbox/index.ts'

export type WebhookAnswer = {
  statusCode: number
  headers: readonly (readonly [name: string, value: string])[]
  body: string
}

/** The response to one request. */
export type NewAnswer = WebhookAnswer & {
  webhookId: string
  accountId: string
  workflowId: string
  runId: string | null
}

const fields = ['statusCode', 'headers', 'body']
const bodyBytesMax = 8 * 1024 * 1024
const headersMax = 64
const headerCharactersMax = 8192

/** Of the connection, or ours to say. */
const refusedNames = new Set(
  'connection keep-alive proxy-connection proxy-authenticate transfer-encoding te trailer upgrade content-length set-cookie strict-transport-security x-request-id'.split(
    ' ',
  ),
)
const bodiless = new Set([204, 205, 304])
export const jsonType = 'application/json; charset=utf-8'

/** `onRefusedHeader`: told of each header that is left out. Throws the refusal that the script shall see. */
export function readAnswer(given: JsonObject, onRefusedHeader: (name: string) => void): WebhookAnswer {
  const unknown = Object.keys(given).find((name) => !fields.includes(name))
  if (unknown !== undefined)
    throw new ScriptCallError(`fx.respond: unknown field ${JSON.stringify(unknown.slice(0, 80))}.`)
  const statusCode = given['statusCode'] ?? 200
  if (typeof statusCode !== 'number' || !Number.isInteger(statusCode) || statusCode < 200 || statusCode > 599)
    throw new ScriptCallError('fx.respond: statusCode must be an integer from 200 to 599.')
  const headers = readHeaders(given['headers'] ?? {}, onRefusedHeader)
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')
  const body = bodiless.has(statusCode) ? '' : writeBody(given['body'], type !== undefined)
  if (Buffer.byteLength(body) > bodyBytesMax) throw new ScriptCallError('fx.respond: body must be at most 8 MiB.')
  return { statusCode, headers: type || body === '' ? headers : [...headers, ['Content-Type', jsonType]], body }
}

/** Text with a type of its own goes out as it is; everything else is JSON. */
function writeBody(body: Json | undefined, hasType: boolean): string {
  if (body === undefined) return ''
  return typeof body === 'string' && hasType ? body : JSON.stringify(body)
}

function readHeaders(given: Json, onRefusedHeader: (name: string) => void): [string, string][] {
  if (!isObject(given)) throw new ScriptCallError('fx.respond: headers must be an object.')
  const entries = Object.entries(given).filter(([, value]) => value !== null)
  if (entries.length > headersMax) throw new ScriptCallError(`fx.respond: at most ${headersMax} headers can be set.`)
  return entries.flatMap(([name, value]): [string, string][] => {
    if (!/^[\w!#$%&'*+.^`|~-]{1,100}$/.test(name))
      throw new ScriptCallError(`fx.respond: ${JSON.stringify(name.slice(0, 80))} is not the name of a header.`)
    const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
    if (typeof text !== 'string' || text.length > headerCharactersMax || !/^[\t\x20-\x7e\x80-\xff]*$/.test(text))
      throw new ScriptCallError(`fx.respond: the value of the header ${name} is not valid.`)
    const lower = name.toLowerCase()
    if (!refusedNames.has(lower) && !lower.startsWith('access-control-')) return [[name, text]]
    onRefusedHeader(name)
    return []
  })
}
