import type { ItemOf } from '@patchbay/sdk'
import type { Context } from '../context.ts'
import { table } from '../terminal.ts'
import { readJson } from './read-json.ts'
import { listMax } from './read-number.ts'

type Options = { reject?: boolean; comment?: string; form?: string }

export async function approve(context: Context, options: Options, id: string | undefined): Promise<undefined> {
  const { terminal } = context
  const { client } = await context.connect()
  if (id === undefined) {
    const { items } = await client.approvals({ body: { isOpen: true, page: 0, size: listMax } })
    terminal.result(items, () => table(items.map(toRow)) || 'Nothing waits for an approval.')
    return
  }
  const approval = await client.approvalAction({
    params: { id },
    body: {
      action: options.reject ? 'reject' : 'approve',
      ...(options.comment === undefined ? {} : { comment: options.comment }),
      ...(options.form === undefined
        ? {}
        : { form: (await readJson(context, '--form', options.form)) as Record<string, unknown> }),
    },
  })
  const { title, outcome } = approval
  terminal.result(approval, () => (outcome === null ? `"${title}" is still open.` : `"${title}" is ${outcome}.`))
}

function toRow({ id, title, workflowName, runNumber, timeoutDateTimeUTC }: ItemOf<'Approvals'>): string[] {
  return [id, title, workflowName, `run ${runNumber}`, `until ${timeoutDateTimeUTC}`]
}
