import { setTimeout as wait } from 'node:timers/promises'
import { noContent } from '@patchbay/sdk'
import type { Context } from '../context.ts'
import { wrongUse } from '../failure.ts'
import { findWorkflow } from '../session/find-workflow.ts'
import { readNumber } from './read-number.ts'

type Options = { to: string; every: string }

/** The newest request that came while the workflow was in development is passed on, each new one once, until Ctrl-C. */
export async function webhookForward(context: Context, options: Options, name: string): Promise<undefined> {
  if (!URL.canParse(options.to)) throw wrongUse(`--to must be an address; it is "${options.to}".`)
  const everyMs = readNumber('--every', options.every) * 1000
  const { client } = await context.connect()
  const { id } = await findWorkflow(client, name)
  const read = async () => {
    const value = await client.getSandboxWebhookValue({ params: { id } })
    return value === noContent ? undefined : JSON.stringify(value)
  }
  let known = await read()
  context.terminal.note(`Waiting for requests to "${name}". Ctrl-C ends.`)
  while (!context.signal.aborted) {
    const found = await read()
    if (found !== undefined && found !== known) {
      known = found
      const status = await passOn(options.to, found, context.signal)
      context.terminal.item({ to: options.to, status }, () => `${options.to}  ${status}`)
    }
    await wait(everyMs, undefined, { signal: context.signal }).catch(() => {})
  }
}

/** The program under development may be down: that is said, and the next request is tried again. */
async function passOn(to: string, body: string, signal: AbortSignal): Promise<number | string> {
  try {
    const headers = { 'Content-Type': 'application/json' }
    return (await fetch(to, { method: 'POST', headers, body, signal })).status
  } catch {
    return 'not reached'
  }
}
