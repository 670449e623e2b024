import type { BodyOf, Operations } from '@patchbay/sdk'
import type { Context } from '../context.ts'
import { findWorkflow } from '../session/find-workflow.ts'
import { listMax, readNumber } from './read-number.ts'

type Options = { in?: string; workflow?: string; limit: string }
type Places = NonNullable<BodyOf<Operations['SearchRuns']>['in']>

export async function search(context: Context, options: Options, words: string[]): Promise<undefined> {
  const { terminal } = context
  const { client } = await context.connect()
  const { items } = await client.searchRuns({
    body: {
      searchTerm: words.join(' '),
      page: 0,
      size: readNumber('--limit', options.limit, listMax),
      ...(options.in ? { in: options.in.split(',').map((place) => place.trim()) as Places } : {}),
      ...(options.workflow ? { workflowId: (await findWorkflow(client, options.workflow)).id } : {}),
    },
  })
  terminal.result(
    items,
    () =>
      items
        .map(({ dateTimeUTC, workflowName, runNumber, blockName, where, snippet }) => {
          const place = [workflowName, runNumber === null ? 'waiting' : `run ${runNumber}`, blockName, where]
          return `${dateTimeUTC}  ${terminal.paint('cyan', place.filter(Boolean).join(' / '))}\n  ${snippet}`
        })
        .join('\n') || 'Nothing found.',
  )
}
