// A format that the account describes itself, for senders that are not known here.
import type { WebhookSignature } from '@patchbay/contract'
import { decodeBase64, decodeHex, parseTime, type SignatureFormat, type SignedParts, wholeSecret } from './formats.ts'
import { type HeaderValues, readHeader } from './headers.ts'

const bytesOf = { sha1: 20, sha256: 32, sha512: 64 } as const
const parts = ['body', 'timestamp', 'id', 'method', 'url'] as const
type Part = (typeof parts)[number]

// With other characters an id could move the border between itself and what stands next to it.
const usableId = /^[\w:+/=-]{1,255}$/
const headerName = /^[!#$%&'*+\-.^_`|~\w]{1,100}$/

export function customFormat(given: WebhookSignature): SignatureFormat {
  const { algorithm, encoding, prefix = '' } = given
  const [before = '', after = ''] = given.signedText.split('{body}')
  const isTimed = given.timestampHeader !== undefined
  const isIdSigned = given.signedText.includes('{id}')
  const decode = encoding === 'hex' ? decodeHex : decodeBase64
  return {
    name: 'configured',
    header: given.header.toLowerCase(),
    algorithm,
    isTimed,
    keys: wholeSecret,
    ...(given.idHeader !== undefined && !isIdSigned && { unsignedIdHeader: given.idHeader.toLowerCase() }),
    read: (value, request) => {
      if (!value.startsWith(prefix)) return undefined
      const timestamp = isTimed ? parseTime(headerOf(request.headers, given.timestampHeader)) : undefined
      const id = isIdSigned ? headerOf(request.headers, given.idHeader) : undefined
      if ((isTimed && !timestamp) || (isIdSigned && !usableId.test(id ?? ''))) return undefined
      const fill = filler({ timestamp: timestamp?.text ?? '', id: id ?? '' }, request)
      return {
        signedPrefix: fill(before),
        signedSuffix: fill(after),
        signatures: decode(value.slice(prefix.length), bytesOf[algorithm]),
        timestamp: timestamp?.seconds ?? null,
        signedId: id,
      }
    },
  }
}

/** What is wrong with a description, in a sentence; undefined when it can be used. */
export function problemOf({ header, signedText, timestampHeader, idHeader }: WebhookSignature): string | undefined {
  const names = Object.entries({ header, timestampHeader, idHeader })
  const wrong = names.find(([, name]) => name !== undefined && !headerName.test(name))
  if (wrong) return `The field signature.${wrong[0]} must be the name of a header.`
  const unknown = [...signedText.matchAll(/\{(\w+)\}/g)].find(([, name]) => !parts.includes(name as Part))
  if (unknown) return `The field signature.signedText names ${unknown[0]}; it may name {${parts.join('}, {')}}.`
  if (signedText.split('{body}').length !== 2) return 'The field signature.signedText must name {body} once.'
  // A time that nobody signed can be set by anybody.
  if (signedText.includes('{timestamp}') !== (timestampHeader !== undefined))
    return 'The fields signature.timestampHeader and {timestamp} in signature.signedText must be used together.'
  if (signedText.includes('{id}') && idHeader === undefined)
    return 'The field signature.idHeader is required because signature.signedText names {id}.'
  return undefined
}

function headerOf(headers: HeaderValues, name: string | undefined): string | undefined {
  return name === undefined ? undefined : readHeader(headers, name.toLowerCase())
}

function filler(values: { timestamp: string; id: string }, { method, url }: SignedParts): (text: string) => string {
  const known = { ...values, method: () => method, url }
  return (text) =>
    text.replaceAll(/\{(timestamp|id|method|url)\}/g, (_, name: Exclude<Part, 'body'>) => {
      const value = known[name]
      return typeof value === 'string' ? value : value()
    })
}
