// The content of a backup: sections, each a head (JSON) and its bytes.
//
//   record   kind (1 byte: 1 head, 2 bytes) | length (4 bytes) | payload
//
//   manifest, then tables, then for each share its files and, when they are complete, its own section, then the end with the counts.

import { BackupError } from './backup-error.ts'
import type { Manifest } from './database-shape.ts'

export type Head =
  | { kind: 'manifest'; manifest: Manifest }
  | { kind: 'table'; schema: string; name: string; columns: string[] }
  | { kind: 'file'; shareId: string; fileId: string }
  | { kind: 'share'; shareId: string }
  | { kind: 'end'; tables: number; shares: number; bytes: number }

export type Section = { head: Head; data: AsyncIterable<Buffer> }

const prefixBytes = 5
const headKind = 1
const dataKind = 2
/** Larger pieces are cut; a length beyond this is damage. */
const payloadBytesMax = 1024 * 1024
const headBytesMax = 64 * 1024 * 1024

export function writeHead(head: Head): Buffer {
  return record(headKind, Buffer.from(JSON.stringify(head)))
}

export async function* writeData(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of bytes)
    for (let at = 0; at < chunk.length; at += payloadBytesMax)
      yield record(dataKind, chunk.subarray(at, at + payloadBytesMax))
}

function record(kind: number, payload: Buffer): Buffer {
  const prefix = Buffer.allocUnsafe(prefixBytes)
  prefix[0] = kind
  prefix.writeUInt32BE(payload.length, 1)
  return Buffer.concat([prefix, payload])
}

/** The bytes of a section are read before the next one is asked for; what is left of them is passed over. */
export async function* readSections(content: AsyncIterable<Buffer>): AsyncGenerator<Section> {
  const records = readRecords(content)
  let current = await records.next()
  while (!current.done) {
    if (current.value.kind !== headKind) throw unreadable()
    const head = JSON.parse(current.value.payload.toString()) as Head
    let following: IteratorResult<{ kind: number; payload: Buffer }> | undefined
    async function* data() {
      for (;;) {
        const next = await records.next()
        following = next
        if (next.done || next.value.kind === headKind) return
        yield next.value.payload
      }
    }
    const bytes = data()
    yield { head, data: bytes }
    for await (const _ of bytes);
    current = following ?? (await records.next())
  }
}

async function* readRecords(content: AsyncIterable<Buffer>): AsyncGenerator<{ kind: number; payload: Buffer }> {
  let held: Buffer = Buffer.alloc(0)
  for await (const chunk of content) {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    while (held.length >= prefixBytes) {
      const kind = held[0] as number
      const length = held.readUInt32BE(1)
      if (length > (kind === headKind ? headBytesMax : payloadBytesMax)) throw unreadable()
      if (held.length < prefixBytes + length) break
      yield { kind, payload: held.subarray(prefixBytes, prefixBytes + length) }
      held = held.subarray(prefixBytes + length)
    }
  }
  if (held.length > 0) throw unreadable()
}

function unreadable(): BackupError {
  return new BackupError('The backup holds something that this program cannot read.')
}
