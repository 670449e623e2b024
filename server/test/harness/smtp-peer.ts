import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

export type ReceivedMail = { from: string; to: string[]; source: string; isSecure: boolean }

/** How the conversation becomes secret, and with which certificate. */
export type PeerTls = { mode: 'implicit' | 'starttls'; key: string; cert: string }

/** A real SMTP server that keeps what it is given. */
export async function startSmtpPeer(
  refuse?: (to: string) => boolean,
  tls?: PeerTls,
): Promise<AsyncDisposable & { url: string; received: ReceivedMail[] }> {
  const received: ReceivedMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    ...(tls ? { secure: tls.mode === 'implicit', key: tls.key, cert: tls.cert } : { disabledCommands: ['STARTTLS'] }),
    onRcptTo: (address, _session, done) => done(refuse?.(address.address) ? new Error('no such mailbox') : null),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const from = session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address
        received.push({
          from,
          to: session.envelope.rcptTo.map((to) => to.address),
          source: Buffer.concat(chunks).toString(),
          isSecure: session.secure,
        })
        done()
      })
    },
  })
  // A client that does not trust the certificate breaks off in the middle of the handshake.
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return {
    url: `${tls?.mode === 'implicit' ? 'smtps' : 'smtp'}://127.0.0.1:${port}`,
    received,
    [Symbol.asyncDispose]: () => new Promise((done) => server.close(() => done())),
  }
}
