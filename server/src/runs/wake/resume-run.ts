// Somebody uses the address that a block gave them. The job comes first, then the run, the approval and the wait, as for everybody who ends waits.
import { inputBytesMax } from '@patchbay/contract'
import { type Database, sql, type Tx } from '../../db/index.ts'
import { html, page, type RawAnswer, type RawRoute } from '../../http/index.ts'
import { invalid, notFound } from '../../lib/app-error.ts'
import { bodyDepthMax } from '../../lib/body-text.ts'
import { scanJson } from '../../lib/json-scan.ts'
import type { JobQueue } from '../../queue/index.ts'
import { resolveWait } from '../record/wait-store.ts'
import { runQueue } from '../run.ts'
import { findResumeLink, type ResumeLink, resumePath } from './resume-link.ts'

type ResumeDeps = { database: Database; jobs: JobQueue }

export function resumeEndpoint(deps: ResumeDeps): RawRoute {
  return {
    methods: ['GET', 'POST'],
    path: `${resumePath}:token`,
    bodyBytesMax: inputBytesMax,
    admit: async ({ method, step }) => {
      const link = await findResumeLink(deps.database.system, step)
      if (!link) throw notFound('address')
      const { accountId, workflowId } = link
      const read = async (body: Buffer): Promise<RawAnswer> => {
        if (method === 'GET') return explain
        return (await resumeRun(deps, link, readData(body))) ? resumed : gone
      }
      return { accountId, workflowId, read }
    },
  }
}

const resumed: RawAnswer = { status: 200, contentType: 'application/json; charset=utf-8', body: '{}' }
const gone: RawAnswer = {
  status: 410,
  contentType: 'application/json; charset=utf-8',
  body: JSON.stringify({
    code: 410,
    errorMessage: 'This address was already used, or the run no longer waits for it.',
    response: null,
  }),
}
/** Looking at it changes nothing: scanners look at links. */
const explain: RawAnswer = {
  status: 200,
  contentType: 'text/html; charset=utf-8',
  headers: [
    [
      'Content-Security-Policy',
      "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'",
    ],
    ['Referrer-Policy', 'no-referrer'],
    ['Cache-Control', 'no-store'],
  ],
  body: page(
    'Resume a run',
    html`<p>A program lets a run go on by sending a POST request with JSON to this address. Opening it changes nothing.</p>`,
  ),
}

/** JSON text. */
function readData(body: Buffer): string {
  if (body.length === 0) return 'null'
  if (scanJson(body, bodyDepthMax).kind !== 'json') throw invalid('The body must be JSON.')
  return JSON.stringify(JSON.parse(body.toString()))
}

/** False when it was used before, or the run does not wait for it any more. A block that has not begun to wait finds it when it does. */
async function resumeRun({ database, jobs }: ResumeDeps, link: ResumeLink, data: string): Promise<boolean> {
  if (link.isUsed) return false
  const outcome = `{"outcome":"resumed","data":${data},"dateTimeUTC":"${new Date().toISOString()}"}`
  const mine = sql`run_id = ${link.runId} and block_id = ${link.blockId} and item_index = ${link.itemIndex}`
  return database.system.transaction(async (tx) => {
    await jobs.lock(tx, runQueue, [link.runId])
    const { rowCount: runs } = await tx.query(
      sql`select from runs where id = ${link.runId} and ended_at is null for no key update`,
    )
    if (runs === 0) return false
    const { rowCount: uses } = await tx.query(sql`select from resume_links where ${mine} and outcome is not null`)
    if (uses > 0) return false
    await tx.query(sql`select from approvals where ${mine} for update`)
    const { rows: waits } = await tx.query<{ kind: string }>(
      sql`select kind from run_waits where ${mine} and kind in ('time', 'event', 'approval')`,
    )
    if (waits.length > 0) {
      if (!(await resolveWait(tx, link, outcome))) return false
      await tx.query(sql`update approvals set outcome = 'resumed' where ${mine} and outcome is null`)
      await jobs.wake(tx, runQueue, [link.runId])
    } else if (await hasEnded(tx, link)) return false
    await tx.query(sql`update resume_links set outcome = ${outcome} where token_hash = ${link.tokenHash}`)
    return true
  })
}

async function hasEnded(tx: Tx, { runId, blockId }: ResumeLink): Promise<boolean> {
  const { rowCount } = await tx.query(sql`select from run_blocks where run_id = ${runId} and block_id = ${blockId}`)
  return rowCount > 0
}
