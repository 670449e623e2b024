// The few requests of S3 that keeping files takes. Addresses are path-style, which every S3-speaking server understands.
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { AwsClient } from 'aws4fetch'
import { FileStoreError, MissingFileError, StoreAwayError } from './file-store.ts'

export type S3Settings = {
  readonly bucket: string
  /** Without slashes at its ends; may be empty. */
  readonly prefix: string
  readonly endpoint: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | undefined
}

export type S3Client = {
  put(key: string, bytes: Buffer): Promise<void>
  get(key: string): Promise<Readable>
  delete(key: string): Promise<void>
  list(prefix: string): Promise<string[]>
  /** At most `count` keys after this one, in their order. */
  listPage(prefix: string, after: string, count: number): Promise<string[]>
  /** At most 1,000 in one request. */
  deleteAll(keys: readonly string[]): Promise<void>
  beginUpload(key: string): Promise<string>
  /** Returns the tag by which the part is named at the end. */
  putPart(key: string, uploadId: string, number: number, bytes: Buffer): Promise<string>
  finishUpload(key: string, uploadId: string, tags: string[]): Promise<void>
  abortUpload(key: string, uploadId: string): Promise<void>
  listUploads(prefix: string): Promise<{ key: string; uploadId: string }[]>
}

type AddressOf = (key: string, query?: Record<string, string>) => string
type Send = (method: string, address: string, options?: { body?: Buffer | string; ms?: number }) => Promise<Response>

/** An answer to a small request; a part of an upload may take as long as its bytes need. */
const usual = { answerMs: 30_000, transferMs: 600_000, readMs: 6 * 3_600_000, retries: 4 }

export function createS3Client(
  settings: S3Settings,
  { answerMs, transferMs, readMs, retries }: Readonly<typeof usual> = usual,
): S3Client {
  const signer = new AwsClient({
    accessKeyId: settings.accessKeyId,
    secretAccessKey: settings.secretAccessKey,
    ...(settings.sessionToken === undefined ? {} : { sessionToken: settings.sessionToken }),
    service: 's3',
    region: settings.region,
    retries,
  })
  const root = `${settings.endpoint.replace(/\/+$/, '')}/${settings.bucket}`
  const addressOf: AddressOf = (key, query = {}) => {
    const search = new URLSearchParams(query).toString()
    const path = key.split('/').map(encodeURIComponent).join('/')
    return `${root}/${path}${search === '' ? '' : `?${search}`}`
  }
  const send: Send = async (method, address, options = {}) => {
    const { body, ms = answerMs } = options
    const answer = await signer
      .fetch(address, {
        method,
        signal: AbortSignal.timeout(ms),
        ...(body === undefined ? {} : { body: body as string, headers: { 'Content-MD5': md5Of(body) } }),
      })
      .catch((cause: Error) => {
        throw new StoreAwayError(`The storage at ${settings.endpoint} does not answer: ${reasonOf(cause)}.`, { cause })
      })
    if (answer.ok) return answer
    throw await refusal(answer, settings)
  }
  return {
    ...objectRequests(send, addressOf, { transferMs, readMs }),
    ...uploadRequests(send, addressOf, { transferMs }),
  }
}

function objectRequests(
  send: Send,
  addressOf: AddressOf,
  { transferMs, readMs }: { transferMs: number; readMs: number },
): Pick<S3Client, 'put' | 'get' | 'delete' | 'list' | 'listPage' | 'deleteAll'> {
  return {
    put: async (key, bytes) => void (await textOf(send('PUT', addressOf(key), { body: bytes, ms: transferMs }))),
    get: async (key) => {
      const answer = await send('GET', addressOf(key), { ms: readMs })
      return Readable.fromWeb(answer.body as ReadableStream)
    },
    delete: async (key) => {
      await textOf(send('DELETE', addressOf(key))).catch((error: Error) => {
        if (!(error instanceof MissingFileError)) throw error
      })
    },
    list: async (prefix) => {
      const keys: string[] = []
      for (let token: string | undefined, isMore = true; isMore; ) {
        const query = { 'list-type': '2', prefix, ...(token === undefined ? {} : { 'continuation-token': token }) }
        const xml = await textOf(send('GET', addressOf('', query)))
        keys.push(...allOf(xml, 'Key'))
        token = allOf(xml, 'NextContinuationToken')[0]
        isMore = token !== undefined
      }
      return keys
    },
    listPage: async (prefix, after, count) => {
      const query = {
        'list-type': '2',
        prefix,
        'max-keys': String(count),
        ...(after === '' ? {} : { 'start-after': after }),
      }
      return allOf(await textOf(send('GET', addressOf('', query))), 'Key')
    },
    deleteAll: async (keys) => {
      if (keys.length === 0) return
      const objects = keys.map((key) => `<Object><Key>${escapeXml(key)}</Key></Object>`).join('')
      const body = `<Delete><Quiet>true</Quiet>${objects}</Delete>`
      const xml = await textOf(send('POST', addressOf('', { delete: '' }), { body }))
      if (xml.includes('<Error>')) throw new FileStoreError(`The storage failed: ${allOf(xml, 'Message')[0] ?? ''}`)
    },
  }
}

/** A file longer than one part. */
function uploadRequests(
  send: Send,
  addressOf: AddressOf,
  { transferMs }: { transferMs: number },
): Pick<S3Client, 'beginUpload' | 'putPart' | 'finishUpload' | 'abortUpload' | 'listUploads'> {
  return {
    beginUpload: async (key) => {
      const id = allOf(await textOf(send('POST', addressOf(key, { uploads: '' }))), 'UploadId')[0]
      if (id === undefined) throw new FileStoreError('The storage did not start the upload.')
      return id
    },
    putPart: async (key, uploadId, number, bytes) => {
      const address = addressOf(key, { partNumber: String(number), uploadId })
      const answer = await send('PUT', address, { body: bytes, ms: transferMs })
      await answer.text()
      return answer.headers.get('etag') ?? ''
    },
    finishUpload: async (key, uploadId, tags) => {
      const parts = tags.map((tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`)
      const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
      const answer = await send('POST', addressOf(key, { uploadId }), { body, ms: transferMs })
      // S3 may say 200 before it is done, and the fault in the body after it.
      const xml = await answer.text()
      if (xml.includes('<Error>')) throw new FileStoreError(`The storage failed: ${allOf(xml, 'Message')[0] ?? ''}`)
    },
    abortUpload: async (key, uploadId) => void (await textOf(send('DELETE', addressOf(key, { uploadId })))),
    listUploads: async (prefix) => {
      // Not every server lists them; there a rule of the bucket ends what was left unfinished.
      const xml = await textOf(send('GET', addressOf('', { uploads: '', prefix }))).catch((error: Error) => {
        if (error instanceof FileStoreError && error.cause === 501) return ''
        throw error
      })
      const keys = allOf(xml, 'Key')
      return allOf(xml, 'UploadId').map((uploadId, index) => ({ key: keys[index] as string, uploadId }))
    },
  }
}

async function textOf(answer: Promise<Response>): Promise<string> {
  return (await answer).text()
}

function md5Of(body: Buffer | string): string {
  return createHash('md5').update(body).digest('base64')
}

/** Node wraps what went wrong. */
function reasonOf(error: Error): string {
  return error.cause instanceof Error ? error.cause.message || String(error.cause) : error.message
}

async function refusal(answer: Response, { bucket, endpoint }: S3Settings): Promise<Error> {
  const xml = await answer.text()
  const code = allOf(xml, 'Code')[0]
  if (code === 'NoSuchBucket') return new FileStoreError(`There is no bucket "${bucket}" at ${endpoint}.`)
  if (answer.status === 404) return new MissingFileError('The file is not there.')
  if (answer.status === 403) {
    return new FileStoreError(
      `The storage at ${endpoint} refused the keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY for the bucket "${bucket}" (${code ?? 'Forbidden'}).`,
    )
  }
  const AnswerError = answer.status >= 500 || answer.status === 429 ? StoreAwayError : FileStoreError
  return new AnswerError(
    `The storage at ${endpoint} answered ${answer.status}${code === undefined ? '' : ` (${code})`}.`,
    { cause: answer.status },
  )
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** The texts of all elements with this name. The answers are flat and small, and come from the operator's own storage. */
function allOf(xml: string, name: string): string[] {
  const found = xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))
  return [...found].map((match) =>
    (match[1] as string)
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&apos;', "'")
      .replaceAll('&amp;', '&'),
  )
}
