import type { BodyOf, Operations } from '@patchbay/sdk'
import type { Context } from '../context.ts'
import { findWorkflow } from '../session/find-workflow.ts'
import { table } from '../terminal.ts'
import { listMax, readNumber } from './read-number.ts'

type Search = BodyOf<Operations['GetRunHistory']>

export async function runs(
  context: Context,
  options: { status?: string; limit: string },
  name: string,
): Promise<undefined> {
  const { terminal } = context
  const { client } = await context.connect()
  const { id } = await findWorkflow(client, name)
  const size = readNumber('--limit', options.limit, listMax)
  const body: Search = {
    page: 0,
    size,
    ...(options.status ? { status: options.status as NonNullable<Search['status']> } : {}),
  }
  const { items } = await client.getRunHistory({ params: { workflowId: id }, body })
  terminal.result(
    items,
    () =>
      table(
        items.map(({ lockVersionNumber, status, startDateTimeUTC, durationInMilliSec, runBy, errorMessage }) => [
          String(lockVersionNumber),
          status,
          startDateTimeUTC,
          `${durationInMilliSec} ms`,
          runBy,
          (errorMessage ?? '').split('\n', 1)[0] ?? '',
        ]),
      ) || 'No runs.',
  )
}
