// A tape as bytes: the length of a JSON head, the head, then the bodies one after the other as they came. Bodies are most of it, and
// writing them as JSON would cost more than all the rest.
import type { Json } from '../../lib/json.ts'
import { JsonText, textOf } from '../../lib/json-text.ts'
import type { Tape, TapedAnswer, TapedBlock, TapedCall } from './tape.ts'

type Head = {
  isCut?: boolean
  webhookBytes: number | null
  blocks: (Omit<TapedBlock, 'calls'> & {
    calls: (Omit<TapedCall, 'answer'> & { answer?: Omit<TapedAnswer, 'body'> & { bytes: number } })[]
  })[]
}

export function encodeTape({ webhook, blocks, isCut = false }: Tape): Buffer {
  const bodies: Buffer[] = []
  const put = (body: Buffer): number => {
    bodies.push(body)
    return body.length
  }
  const head: Head = {
    ...(isCut ? { isCut } : {}),
    webhookBytes: webhook === null ? null : put(bytesOf(webhook)),
    blocks: blocks.map(({ id, itemKey, calls, reads }) => ({
      id,
      ...(itemKey === undefined ? {} : { itemKey }),
      reads,
      // One that has neither answer nor error was cut off by the end of its script.
      calls: calls
        .filter(({ answer, errorMessage }) => answer !== undefined || errorMessage !== undefined)
        .map(({ answer, ...call }) => {
          if (answer === undefined) return call
          const { body, ...rest } = answer
          return { ...call, answer: { ...rest, bytes: put(body) } }
        }),
    })),
  }
  const text = Buffer.from(JSON.stringify(head))
  const length = Buffer.allocUnsafe(4)
  length.writeUInt32LE(text.length)
  return Buffer.concat([length, text, ...bodies])
}

export function decodeTape(bytes: Buffer): Tape {
  const headEnd = 4 + bytes.readUInt32LE(0)
  const head = JSON.parse(bytes.toString('utf8', 4, headEnd)) as Head
  let at = headEnd
  const take = (length: number): Buffer => {
    at += length
    return bytes.subarray(at - length, at)
  }
  return {
    isCut: head.isCut ?? false,
    webhook: head.webhookBytes === null ? null : new JsonText(take(head.webhookBytes)),
    blocks: head.blocks.map(({ calls, ...block }) => ({
      ...block,
      calls: calls.map(({ answer, ...call }) => {
        if (answer === undefined) return { ...call, answer: undefined }
        const { bytes: length, ...rest } = answer
        return { ...call, answer: { ...rest, body: take(length) } }
      }),
    })),
  }
}

function bytesOf(value: Json | JsonText): Buffer {
  if (value instanceof JsonText && Buffer.isBuffer(value.content)) return value.content
  return Buffer.from(textOf(value))
}
