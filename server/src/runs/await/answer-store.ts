// Responses to webhook requests, written with what gives them: the first one of each request counts.
import { type Queryable, sql } from '../../db/index.ts'
import type { EndedRun } from '../run.ts'
import { jsonType, type NewAnswer, type WebhookAnswer } from '../webhook-answer.ts'

/** Larger ones are sent once and not kept for senders that repeat their delivery. */
export const answerBytesKept = 65_536

export async function insertAnswers(tx: Queryable, answers: readonly NewAnswer[]): Promise<void> {
  await tx.query(sql`
    insert into webhook_answers (webhook_id, account_id, workflow_id, run_id, status_code, headers, body)
    select * from unnest(${answers.map(({ webhookId }) => webhookId)}::uuid[], ${answers.map(({ accountId }) => accountId)}::uuid[],
      ${answers.map(({ workflowId }) => workflowId)}::uuid[], ${answers.map(({ runId }) => runId)}::uuid[],
      ${answers.map(({ statusCode }) => statusCode)}::integer[], ${answers.map(({ headers }) => JSON.stringify(headers))}::json[],
      ${answers.map(({ body }) => body)}::text[])
    on conflict do nothing`)
}

const failedBody = JSON.stringify({ code: 502, errorMessage: 'The workflow failed.', response: null })

/** What a sender is told whose request could not be processed. */
export const failedAnswer: WebhookAnswer = { statusCode: 502, headers: [['Content-Type', jsonType]], body: failedBody }

/** Of runs that ended, those that requests wait for: the result, unless a block has answered. */
export async function insertEnds(tx: Queryable, ended: readonly EndedRun[]): Promise<void> {
  const rows = ended.flatMap((run) => (run.webhookIds ?? []).map((webhookId) => ({ ...run, webhookId })))
  const bodyOf = ({ status }: EndedRun) => (status === 'Ready' ? null : failedBody)
  await tx.query(sql`
    insert into webhook_answers (webhook_id, account_id, workflow_id, run_id, status_code, headers, body)
    select i.webhook_id, i.account_id, i.workflow_id, i.run_id, case when i.body is null then 200 else 502 end,
      ${JSON.stringify(failedAnswer.headers)}::json,
      case when i.body is not null then i.body when coalesce(b.result, '') = '' then 'null'
        when content_id(b.result) is null and octet_length(b.result) <= ${answerBytesKept} then b.result end
    from unnest(${rows.map(({ webhookId }) => webhookId)}::uuid[], ${rows.map(({ accountId }) => accountId)}::uuid[],
      ${rows.map(({ workflowId }) => workflowId)}::uuid[], ${rows.map(({ id }) => id)}::uuid[],
      ${rows.map(({ outputBlock }) => outputBlock ?? null)}::uuid[], ${rows.map(bodyOf)}::text[])
      as i (webhook_id, account_id, workflow_id, run_id, output_block, body)
    left join run_blocks b on b.run_id = i.run_id and b.block_id = i.output_block and b.status = 'Ready'
    on conflict do nothing`)
}
