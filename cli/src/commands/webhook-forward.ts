import { setTimeout as wait } from 'node:timers/promises'
import { type Answer, type Client, noContent } from '@patchbay/sdk'
import type { Context } from '../context.ts'
import { wrongUse } from '../failure.ts'
import { findWorkflow } from '../session/find-workflow.ts'
import { readNumber } from './read-number.ts'

type Options = { to: string; every: string }
type Received = Exclude<Answer<'GetWebhook'>, typeof noContent>

/** Each request that comes while the workflow is in development is passed on once, in the order of arrival, until Ctrl-C. */
export async function webhookForward(context: Context, options: Options, name: string): Promise<undefined> {
  if (!URL.canParse(options.to)) {
    throw wrongUse(`--to must be an address such as http://localhost:3000/hook; "${options.to}" is not.`)
  }
  const everyMs = readNumber('--every', options.every) * 1000
  const { client } = await context.connect()
  const { id } = await findWorkflow(client, name)
  const seen = new Set(await listIds(client, id))
  context.terminal.note(`Waiting for requests to "${name}". Press Ctrl-C to stop.`)
  while (!context.signal.aborted) {
    for (const webhookId of await listIds(client, id)) {
      if (seen.has(webhookId)) continue
      seen.add(webhookId)
      const received = await client.getWebhook({ params: { webhookId } })
      if (received === noContent) continue
      const status = await passOn(options.to, received, context.signal)
      context.terminal.item({ webhookId, to: options.to, status }, () => `${received.method} ${options.to}  ${status}`)
    }
    await wait(everyMs, undefined, { signal: context.signal }).catch(() => {})
  }
}

/** In the order of arrival. */
async function listIds(client: Client, id: string): Promise<string[]> {
  const found = await client.getSandboxWebhooks({ params: { id } })
  return found.map(({ webhookId }) => webhookId).reverse()
}

/** Headers that are about the body as it travelled, not about what it says. */
const ofTheWire = new Set(['content-length', 'transfer-encoding', 'content-encoding', 'connection', 'host', 'expect'])

/** As it was received. The program under development may be down: that is said, and the next request is tried again. */
async function passOn(to: string, received: Received, signal: AbortSignal): Promise<number | string> {
  const url = new URL(to)
  for (const [name, values] of Object.entries(received.urlParameters)) {
    for (const value of [values].flat()) url.searchParams.append(name, value)
  }
  const headers = Object.fromEntries(Object.entries(received.headers).filter(([name]) => !ofTheWire.has(name)))
  const { method, webhookValue } = received
  const body = typeof webhookValue === 'string' ? webhookValue : JSON.stringify(webhookValue)
  try {
    return (await fetch(url, { method, headers, body, signal })).status
  } catch {
    return 'not reached'
  }
}
