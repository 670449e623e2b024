import type { StreamEventName } from '@patchbay/contract'

export type StreamEvent = {
  type: StreamEventName
  accountId: string
  workflowId: string | null
  /** As in the events that are sent to addresses; `accountId` and `workflowId` are added. */
  data: object
}

/** Tells open streams. What it is told of has happened: transactions tell after their commit. */
export type Announce = (event: StreamEvent) => void

/** Where an account belongs: neither ever changes. */
export type AccountPlace = { organizationId: string; createdBy: string | null }

/** Of each text of an event, as it is written: who wants to read more of a message reads the history. */
const textBytesMax = 1024

/** An event waits, is stored and is sent once for every reader, so a long message must not make it large. */
export function shortenTexts(data: object): object {
  const isLong = (value: unknown): value is string => typeof value === 'string' && encodedBytes(value) > textBytesMax
  if (!Object.values(data).some(isLong)) return data
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, isLong(value) ? shorten(value) : value]))
}

function shorten(text: string): string {
  const ellipsis = '…'
  let room = textBytesMax - Buffer.byteLength(ellipsis)
  let end = 0
  for (const character of text) {
    room -= encodedBytes(character)
    if (room < 0) break
    end += character.length
  }
  return text.slice(0, end) + ellipsis
}

/** In JSON a control character becomes six bytes. The quotes do not count. */
function encodedBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2
}
