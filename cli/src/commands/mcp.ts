import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createMcpServer } from '@patchbay/mcp'
import type { Context } from '../context.ts'

/** Standard output belongs to the protocol: what a person should read goes to standard error. */
export async function mcp({ terminal, signal, connect }: Context): Promise<undefined> {
  const { client, url, email } = await connect()
  const onFault = (error: unknown) => terminal.note(String((error as Error)?.stack ?? error))
  const served = serveStdio(() => createMcpServer({ client, onFault }), { onerror: onFault })
  terminal.note(`Serving tools for ${url} as ${email} until standard input closes.`)
  await new Promise<void>((done) => {
    process.stdin.once('close', done)
    signal.addEventListener('abort', () => done(), { once: true })
  })
  await served.close()
}
