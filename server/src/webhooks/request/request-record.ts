// A request as it is kept: one sealed value of a JSON head and the bytes of the body.
//   bytes 0-3  length of the head
//   …          head: {"method", "headers", "urlParameters"}
//   …          body, unpacked if it came packed

import type { IncomingHttpHeaders } from 'node:http'
import { toUtf8 } from '../../lib/charset.ts'
import type { Json } from '../../lib/json.ts'
import { type JsonText, textObject } from '../../lib/json-text.ts'
import { isLarge, readLargeBody } from '../../lib/large-body.ts'
import type { KeyRing, Place } from '../../secrets/index.ts'

export type RequestHead = {
  method: string
  /** Lower-case names. */
  headers: Record<string, string>
  urlParameters: Record<string, string | string[]>
}

/** What is read again. */
export type ReceivedRequest = RequestHead & { body: Buffer }

/** What a block script sees as `webhook`. */
export type WebhookValue = { id: string; method: string; headers: Json; urlParameters: Json; body: Json }

// Credentials of the sender and of those before it, and what concerned the connection only.
const droppedHeaders = new Set(
  'x-webhook-secret authorization proxy-authorization cookie connection keep-alive proxy-connection transfer-encoding te trailer upgrade'.split(
    ' ',
  ),
)

/** What a sender gave us, as it came. */
export type GivenRequest = {
  readonly method: string
  readonly headers: IncomingHttpHeaders
  readonly query: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

export function packRequest({ method, headers, query, body }: GivenRequest): Buffer {
  // Written as text: an object made only to be written would cost more than the writing. Names of headers hold nothing that needs escaping.
  let kept = ''
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || droppedHeaders.has(name)) continue
    kept += `${kept === '' ? '' : ','}"${name}":${JSON.stringify(typeof value === 'string' ? value : value.join(', '))}`
  }
  const text = `{"method":"${method}","headers":{${kept}},"urlParameters":${JSON.stringify(query)}}`
  const headBytes = Buffer.byteLength(text)
  const packed = Buffer.allocUnsafe(4 + headBytes + body.length)
  packed.writeUInt32BE(headBytes)
  packed.write(text, 4)
  body.copy(packed, 4 + headBytes)
  return packed
}

export function unpackRequest(packed: Buffer): ReceivedRequest {
  const bodyAt = 4 + packed.readUInt32BE()
  return { ...(JSON.parse(packed.toString('utf8', 4, bodyAt)) as RequestHead), body: packed.subarray(bodyAt) }
}

/** The body as text, decoded by the character set that the sender declared. */
export function payloadText({ body, headers }: Pick<ReceivedRequest, 'body' | 'headers'>): string {
  return toUtf8(body, headers['content-type']).toString('utf8')
}

/** The payload itself: JSON when it is JSON, else text. */
export function readPayload(request: Pick<ReceivedRequest, 'body' | 'headers'>): Json {
  const text = payloadText(request)
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}

/** As `readPayload`; what is large stays text. */
export async function readPayloadOf(
  accountId: string,
  request: Pick<ReceivedRequest, 'body' | 'headers'>,
): Promise<Json | JsonText> {
  const { body, headers } = request
  if (!isLarge(body)) return readPayload(request)
  return (await readLargeBody(accountId, body, { contentType: headers['content-type'] })) as JsonText
}

export function toWebhookValue(
  accountId: string,
  id: string,
  request: ReceivedRequest,
): WebhookValue | Promise<JsonText> {
  const { method, headers, urlParameters } = request
  if (!isLarge(request.body)) return { id, method, headers, urlParameters, body: readPayload(request) }
  return readPayloadOf(accountId, request).then((body) => textObject({ id, method, headers, urlParameters, body }))
}

export type RequestTable = 'webhook_requests' | 'webhook_samples'

export async function openRequest(
  keyRing: KeyRing,
  table: RequestTable,
  stored: { id: string; accountId: string; sealedRequest: Buffer },
): Promise<ReceivedRequest> {
  return unpackRequest(await keyRing.open(requestPlace(table, stored.id, stored.accountId), stored.sealedRequest))
}

export function requestPlace(table: RequestTable, rowId: string, accountId: string): Place {
  return { table, column: 'sealed_request', rowId, accountId }
}
