// Mails through an account's own mail server: `POST SMTP/send` with the body of ApiProxyEmail. They pass no outbox, so the
// caller hears at once what the server said.
import { createHash } from 'node:crypto'
import type { Socket } from 'node:net'
import { isIP } from 'node:net'
import { isEmail, operations } from '@patchbay/contract'
import { createTransport } from 'nodemailer'
import { type Database, type Scope, sql } from '../db/index.ts'
import { validator } from '../http/index.ts'
import { AppError, invalid } from '../lib/app-error.ts'
import { connectTcp, type Guard, type OutboundBody, OutboundError } from '../outbound/index.ts'
import type { MailContent } from './mail-content.ts'
import { composeEmail, type ProxyEmailBody } from './proxy-email.ts'
import { streamOfBase64 } from './stored-mail.ts'
import { isTlsFailure } from './tls-failure.ts'

type Values = Readonly<Record<string, string | number | boolean | null | undefined>>
type Request = {
  method: string
  path: string
  body?: OutboundBody
  idempotencyKey?: string
  timeoutMs?: number
  signal?: AbortSignal
}
type Answer = { statusCode: number; data: unknown }

export type OwnServerSender = (values: Values, request: Request, scope: Scope | undefined) => Promise<Answer>

const sendMsDefault = 30_000

export function createOwnServerSender(deps: { database: Database; guard: Guard }): OwnServerSender {
  const check = validator(operations.ApiProxyEmail.body, 'body')
  return async (values, request, scope) => {
    const endpoint = request.path.split('?', 1)[0]?.replace(/\/+$/, '').toLowerCase()
    if (endpoint !== 'send') return { statusCode: 404, data: { Error: 'The mail server has one endpoint: POST send.' } }
    if (request.method.toUpperCase() !== 'POST') return { statusCode: 405, data: { Error: 'Send e-mails with POST.' } }
    const body = check(readJson(request.body)) as ProxyEmailBody
    const content = await composeEmail(body, scope ? await emailOf(deps.database, scope) : '', scope?.accountId ?? '')
    return deliver(deps.guard, readServer(values), content, request)
  }
}

type Server = {
  host: string
  port: number
  secure: boolean
  acceptAnyCertificate: boolean
  username: string
  password: string
  from: string
}

function readServer(values: Values): Server {
  const text = (name: string) => String(values[name] ?? '')
  const from = text('from')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not get into a header.
  if (/[\u0000-\u001f\u007f]/.test(from) || !isEmail(/<([^<>]*)>\s*$/.exec(from)?.[1] ?? from.trim())) {
    throw invalid('The field from of the mail server must be an address, such as Orders <orders@example.com>.')
  }
  return {
    host: text('host').trim(),
    port: Number(values['port'] ?? 587),
    secure: values['secure'] === true,
    acceptAnyCertificate: values['acceptAnyCertificate'] === true,
    username: text('username'),
    password: text('password'),
    from,
  }
}

async function deliver(guard: Guard, server: Server, content: MailContent, request: Request): Promise<Answer> {
  const { host, port, secure, acceptAnyCertificate, username, password, from } = server
  const limitMs = request.timeoutMs ?? sendMsDefault
  const late = AbortSignal.timeout(limitMs)
  const signal = request.signal ? AbortSignal.any([request.signal, late]) : late
  const socket = await connectTcp(guard, host, port, { signal })
  const cut = () => socket.destroy()
  signal.addEventListener('abort', cut, { once: true })
  const transport = createTransport({
    host,
    port,
    secure,
    // A password leaves this machine under TLS or not at all: whoever sits in between could take the offer of TLS away.
    requireTLS: username !== '' && !isLoopback(socket),
    tls: { rejectUnauthorized: !acceptAnyCertificate, ...(isIP(host) === 0 ? { servername: host } : {}) },
    ...(username === '' ? {} : { auth: { user: username, pass: password } }),
    getSocket: (_options: unknown, callback: (error: null, found: { connection: Socket }) => void) =>
      callback(null, { connection: socket }),
    greetingTimeout: limitMs,
    socketTimeout: limitMs,
  } as never)
  try {
    const sent = await transport.sendMail({
      from,
      ...content,
      ...(request.idempotencyKey === undefined ? {} : { messageId: messageIdOf(request.idempotencyKey) }),
      attachments: (content.attachments ?? []).map(({ filename, contentBase64, contentType }) => ({
        filename,
        content: streamOfBase64(contentBase64),
        ...(contentType === undefined ? {} : { contentType }),
      })),
      // Nothing in a mail may make the service read files or fetch addresses.
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    return {
      statusCode: 200,
      data: { Success: true, messageId: sent.messageId, rejected: sent.rejected.map(addressOf) },
    }
  } catch (error) {
    return told(error as SmtpFailure, `${host}:${port}`, signal.aborted)
  } finally {
    signal.removeEventListener('abort', cut)
    transport.close()
    socket.destroy()
  }
}

function addressOf(recipient: string | { address: string }): string {
  return typeof recipient === 'string' ? recipient : recipient.address
}

type SmtpFailure = Error & { code?: string; responseCode?: number; response?: string }

/** What the server said becomes an answer with the status that means the same; where it said nothing there is no answer. */
function told(failure: SmtpFailure, target: string, isCut: boolean): Answer {
  if (failure instanceof OutboundError) throw failure
  const said = failure.response ?? failure.message
  if (failure.code === 'EAUTH') {
    return { statusCode: 401, data: { Error: `The mail server does not accept the user name or password: ${said}` } }
  }
  if (isTlsFailure(failure)) {
    throw new AppError('target_unreachable', `The mail server ${target} offers no TLS that can be trusted: ${said}`, {
      cause: failure,
    })
  }
  if (failure.responseCode !== undefined) {
    const isForGood = failure.responseCode >= 500
    const words = isForGood ? 'refused the e-mail' : 'cannot accept the e-mail now'
    return { statusCode: isForGood ? 422 : 503, data: { Error: `The mail server ${words}: ${said}` } }
  }
  const what = isCut ? 'did not answer in time' : 'closed the connection'
  throw new AppError('target_unreachable', `The mail server ${target} ${what}.`, { cause: failure })
}

/** The same call has the same id however often it is made, which is what receiving systems compare. */
function messageIdOf(idempotencyKey: string): string {
  return `<${createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 40)}@patchbay>`
}

function isLoopback({ remoteAddress = '' }: Socket): boolean {
  return remoteAddress === '::1' || /^(::ffff:)?127\./.test(remoteAddress)
}

function readJson(body: OutboundBody | undefined): unknown {
  const text = typeof body === 'string' ? body : body instanceof Uint8Array ? Buffer.from(body).toString() : ''
  try {
    return JSON.parse(text)
  } catch {
    throw invalid('The e-mail must be a JSON object.')
  }
}

async function emailOf(database: Database, scope: Scope): Promise<string> {
  const { rows } = await database
    .forScope(scope)
    .query<{ email: string }>(sql`select email from accounts where id = ${scope.accountId}`)
  return rows[0]?.email ?? ''
}
