import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Context } from '../context.ts'
import { Failure, wrongUse } from '../failure.ts'
import { findWorkflow } from '../session/find-workflow.ts'
import { readInput } from './read-input.ts'

type Options = { data: string; secretEnv: string; contentType: string }

export async function webhookSend(context: Context, options: Options, name: string): Promise<undefined> {
  const secret = context.env[options.secretEnv]
  if (!secret)
    throw wrongUse(`Set ${options.secretEnv} to the secret of the webhook, which WebhookSettingsEnable returned.`)
  const { client } = await context.connect()
  const { id } = await findWorkflow(client, name)
  const { webhook } = await client.workflow({ params: { id } })
  if (!webhook.isActive) throw new Failure(`The webhook of "${name}" is disabled. Enable it first.`)
  const payload = options.data === '-' ? await readInput() : readFileSync(resolve(context.cwd, options.data), 'utf8')
  const answer = await fetch(webhook.url, {
    method: 'POST',
    headers: {
      'Content-Type': options.contentType,
      'X-Patchbay-Signature': `sha256=${createHmac('sha256', secret).update(payload).digest('hex')}`,
    },
    body: payload,
    signal: context.signal,
  }).catch((cause: unknown) => {
    throw new Failure(`${webhook.url} cannot be reached.`, 1, cause)
  })
  const text = await answer.text()
  if (!answer.ok) throw new Failure(`${webhook.url} answered ${answer.status}: ${text}`)
  context.terminal.result(
    { url: webhook.url, status: answer.status, answer: text },
    () => `${webhook.url} answered ${answer.status}.`,
  )
}
