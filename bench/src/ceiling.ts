// What raises the ceiling of one PostgreSQL, each beside what it replaced: the figures of docs/capacity.md.
import { measureContents } from './ceiling-contents.ts'
import { measureCommits, measureTaking } from './ceiling-queue.ts'
import { measureRetention } from './ceiling-retention.ts'
import { measureAudit, measureClaims, measureKeys } from './ceiling-tables.ts'
import { connectOwner } from './owner.ts'
import type { Row } from './report.ts'
import { newDataDir, startBenchService } from './service.ts'

export async function benchCeiling(): Promise<Row[]> {
  using sweptDir = newDataDir()
  using dataDir = newDataDir()
  const retention = await measureRetention(sweptDir.path)
  const contents = await measureContents()
  await using _service = await startBenchService(dataDir.path)
  const owner = await connectOwner(dataDir.path)
  try {
    return [
      ...(await measureAudit(owner)),
      ...retention,
      ...(await measureTaking(owner)),
      ...(await measureCommits(dataDir.path)),
      ...contents,
      ...(await measureClaims(owner)),
      ...(await measureKeys(owner)),
    ]
  } finally {
    await owner.end()
  }
}
