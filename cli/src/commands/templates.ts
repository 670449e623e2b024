import type { Client } from '@patchbay/sdk'
import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import { loadNames } from '../folders/names.ts'
import { table } from '../terminal.ts'
import { readNumber } from './read-number.ts'

type PublishOptions = { version?: string; block?: boolean }

export async function publishTemplate(context: Context, options: PublishOptions, name: string): Promise<undefined> {
  const { client } = await context.connect()
  const id = await findTemplate(client, options.block ? 'blockTemplate' : 'workflowTemplate', name)
  const parts = { params: { id }, query: options.version === undefined ? {} : { version: options.version } }
  const version = await (options.block ? client.publishBlockTemplate(parts) : client.publishWorkflowTemplate(parts))
  context.terminal.result({ id, version }, () => `Published "${name}" as version ${version}.`)
}

async function findTemplate(client: Client, kind: 'blockTemplate' | 'workflowTemplate', name: string): Promise<string> {
  const id = (await loadNames(client))[kind].idOf(name)
  if (id === undefined) throw new Failure(`No template is named "${name}", or several are. Use its id.`)
  return id
}

type UpgradeOptions = { to?: string; preview?: boolean; waveSize?: string; replayRuns?: string }

/** With --preview nothing changes; without it, workflows that merge cleanly are upgraded wave by wave. */
export async function upgradeTemplate(context: Context, options: UpgradeOptions, name: string): Promise<0 | 3> {
  const { terminal } = context
  const { client } = await context.connect()
  const chosen = {
    workflowTemplateId: await findTemplate(client, 'workflowTemplate', name),
    ...(options.to === undefined ? {} : { toVersion: options.to }),
  }
  if (options.preview) {
    const found = await Array.fromAsync(client.each('TemplateUpgradePreview', { body: chosen }))
    terminal.result(
      found,
      () =>
        table(
          found.map((one) => [
            one.outcome,
            `"${one.name}"`,
            `${one.fromVersion ?? 'draft'} to ${one.toVersion}`,
            one.workflowId,
          ]),
        ) || 'No workflow was made from this template.',
    )
    return found.some(({ outcome }) => outcome !== 'upToDate') ? 3 : 0
  }
  const settings = {
    ...(options.waveSize === undefined ? {} : { waveSize: readNumber('--wave-size', options.waveSize) }),
    ...(options.replayRuns === undefined ? {} : { replayRuns: readNumber('--replay-runs', options.replayRuns) }),
  }
  const { upgradeId } = await client.templateUpgrade({ body: { ...chosen, ...settings } })
  terminal.result({ upgradeId }, () => `Upgrade ${upgradeId} of "${name}" has started.`)
  return 0
}
