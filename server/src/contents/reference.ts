// What a column holds in place of a content that lies elsewhere: '@<object> <bytes> <count>'. Contents are JSON texts and sealed values, and neither
// begins with that character. SQL reads references too: content_id, content_bytes and count_calls.
import type { Place } from '../secrets/index.ts'

export type Reference = {
  objectId: string
  /** Of the content itself. */
  bytes: number
  /** What must be known without reading it: of calls, how many they are. */
  count: number
}

const mark = '@'

export function writeReference({ objectId, bytes, count }: Reference): string {
  return `${mark}${objectId} ${bytes} ${count}`
}

export function isReference(stored: string | null): boolean {
  return stored?.startsWith(mark) ?? false
}

/** Undefined for a content that lies where it was found. */
export function readReference(stored: string | Buffer): Reference | undefined {
  const isOne = typeof stored === 'string' ? stored.startsWith(mark) : stored[0] === mark.charCodeAt(0)
  if (!isOne) return undefined
  const [objectId = '', bytes, count] = stored.toString().slice(mark.length).split(' ')
  return { objectId, bytes: Number(bytes), count: Number(count) }
}

/** An object belongs to one run or one webhook request, and lies under its day: `runs/20261116/<run>/<object>`. */
export function keyOf({ table, rowId }: Place, objectId: string): string {
  const ownerId = rowId.slice(0, 36)
  return `${table.startsWith('webhook') ? 'webhooks' : 'runs'}/${dayOf(ownerId)}/${ownerId}/${objectId}`
}

export type Owned = { kind: 'runs' | 'webhooks'; ownerId: string; objectId: string }

/** Undefined for an object that is none of ours. */
export function readKey(key: string): Owned | undefined {
  const [, kind, ownerId, objectId] = /^(runs|webhooks)\/\d{8}\/([0-9a-f-]{36})\/([0-9a-f-]{36})$/.exec(key) ?? []
  return kind && ownerId && objectId ? { kind: kind as Owned['kind'], ownerId, objectId } : undefined
}

/** Ids begin with their time. */
export function msOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

function dayOf(id: string): string {
  // An id that another program made up may lie beyond every calendar.
  const ms = Math.min(msOf(id), 8.64e15)
  return new Date(ms).toISOString().slice(0, 10).replaceAll('-', '').slice(-8)
}
