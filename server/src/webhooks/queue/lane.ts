// Which requests must wait for each other. Requests of one lane are processed one after the other.

import { createHash } from 'node:crypto'
import { bodyDepthMax } from '../../lib/body-text.ts'
import type { Json } from '../../lib/json.ts'
import { scanJson } from '../../lib/json-scan.ts'
import { isLarge } from '../../lib/large-body.ts'
import { type ReceivedRequest, readPayload } from '../request/request-record.ts'
import type { Settings } from '../settings/settings.ts'

export type Order = Pick<Settings, 'strictOrderProcessing' | 'orderKey'>

type Payload = Pick<ReceivedRequest, 'body' | 'headers'>

/** Where the order needs no payload, or there is none. */
export const noPayload = (): Payload => ({ body: Buffer.alloc(0), headers: {} })

/** The lane of a workflow in strict order, and of requests without a value at the order key. */
const onlyLane = ''
const laneCharactersMax = 200
const keyedValuesMax = 200_000

export function isOrdered({ strictOrderProcessing, orderKey }: Order): boolean {
  return strictOrderProcessing || orderKey !== ''
}

/** Null: in no particular order. */
export function laneOf(order: Order, request: () => Payload): string | null {
  if (order.strictOrderProcessing) return onlyLane
  if (order.orderKey === '') return null
  const value = valueAt(readSmall(request()), order.orderKey.split('.'))
  return value === undefined || value === null
    ? onlyLane
    : shorten(typeof value === 'string' ? value : JSON.stringify(value))
}

/** Making a million values while a request is accepted would make all others wait: such a body has no value at its key. */
function readSmall(request: Payload): Json {
  if (!isLarge(request.body)) return readPayload(request)
  return scanJson(request.body, bodyDepthMax, keyedValuesMax).kind === 'json' ? readPayload(request) : null
}

function valueAt(payload: Json, path: string[]): Json | undefined {
  let at: Json | undefined = payload
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined
    at = (at as { [key: string]: Json })[step]
  }
  return at
}

/** Lanes are compared and indexed: what is long or cannot be stored is known by its digest. */
function shorten(value: string): string {
  const isPlain = value.length <= laneCharactersMax && !value.includes('\0') && value.isWellFormed()
  return isPlain ? `=${value}` : `#${createHash('sha256').update(value).digest('base64url')}`
}
