// Contents of blocks that may lie outside the table: see `contents`. Each is sealed for its run, block and column.
import type { Contents } from '../../contents/index.ts'
import type { Place } from '../../secrets/index.ts'
import type { BlockRecord } from '../run.ts'

type ContentColumn = 'result' | 'log' | 'session' | 'calls'

export type BlockKey = { runId: string; blockId: string; accountId: string }

/** What is to be recorded once the large contents of the block are durable elsewhere. */
export async function keepBlock(
  contents: Pick<Contents, 'keep'>,
  run: Omit<BlockKey, 'blockId'>,
  block: BlockRecord,
): Promise<BlockRecord> {
  const key = { ...run, blockId: block.blockId }
  const [result, log, session, calls] = await Promise.all([
    contents.keep(contentPlace(key, 'result'), block.result),
    contents.keep(contentPlace(key, 'log'), block.log),
    contents.keep(contentPlace(key, 'session'), block.session),
    contents.keep(contentPlace(key, 'calls'), block.calls, block.callCount),
  ])
  return { ...block, result, log, session, calls }
}

export function contentPlace({ runId, blockId, accountId }: BlockKey, column: ContentColumn): Place {
  return { table: 'run_blocks', column, rowId: `${runId}/${blockId}`, accountId }
}
