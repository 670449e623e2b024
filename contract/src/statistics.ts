import { Type } from 'typebox'
import { AccountName, Guid, Timestamp } from './ids.ts'
import { operation } from './operation.ts'

export const AcrossAccounts = Type.Boolean({
  description: 'True: all accounts the caller may act for. ManagedAccountId narrows this to one.',
})
const NullableTimestamp = Type.Union([Timestamp, Type.Null()])
const Count = (description: string) => Type.Integer({ minimum: 0, description })
const Milliseconds = (description: string) => Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description })

const from = { ...Timestamp, description: 'Beginning of the range. It is moved back to the beginning of its bucket.' }
const to = {
  ...Timestamp,
  description: 'End of the range. The last bucket is the one that holds the moment before it.',
}

const runSums = {
  ready: Count('Runs that ended as Ready.'),
  error: Count('Runs that ended as Error.'),
  stopped: Count('Runs that ended as Stopped.'),
  webhooks: Count('Webhook requests that were accepted.'),
  p50Ms: Milliseconds('Median run time, not counting waits, accurate to 6 %. Null if there were no runs.'),
  p95Ms: Milliseconds(
    '95th percentile of the run time, not counting waits, accurate to 6 %. Null if there were no runs.',
  ),
}

export const runStatistics = operation({
  name: 'RunStatistics',
  feature: 'Monitoring',
  method: 'POST',
  path: '/api/RunStatistics',
  description:
    'Count runs and webhook requests over time. Runs count when they end; Debug runs do not count. Empty buckets are included.',
  body: Type.Object(
    {
      searchFrom: from,
      searchTo: to,
      bucket: Type.Enum(['minute', 'hour', 'day'], { description: 'At most 1,000 buckets.' }),
      timeZone: Type.Optional(
        Type.String({ maxLength: 100, description: 'Where hours and days begin, e.g. Europe/Oslo. Default: UTC.' }),
      ),
      workflowId: Type.Optional({ ...Guid, description: 'Only this workflow.' }),
      acrossAccounts: Type.Optional(AcrossAccounts),
    },
    { additionalProperties: false },
  ),
  answers: {
    200: Type.Object({
      buckets: Type.Array(Type.Object({ startDateTimeUTC: Timestamp, ...runSums })),
      total: Type.Object(runSums),
    }),
  },
  refuses: ['not_found'],
  example: {
    body: {
      searchFrom: '2026-03-01T00:00:00Z',
      searchTo: '2026-04-01T00:00:00Z',
      bucket: 'day',
      timeZone: 'Europe/Oslo',
    },
  },
})

export const attentionKinds = [
  'accountInactive',
  'alarm',
  'connection.faulted',
  'connection.waiting',
  'mail.failed',
  'mail.held',
  'storage.full',
  'webhook.givenUp',
  'webhook.waiting',
  'workflow.failing',
  'workflow.paused',
] as const

export const overview = operation({
  name: 'Overview',
  feature: 'Monitoring',
  method: 'POST',
  path: '/api/Overview',
  description: 'What exists, what waits, and what needs attention.',
  body: Type.Object({ acrossAccounts: Type.Optional(AcrossAccounts) }, { additionalProperties: false }),
  answers: {
    200: Type.Object({
      workflows: Type.Object({
        inDevelopment: Count('Workflows in development.'),
        deployed: Count('Deployed workflows.'),
        archived: Count('Archived workflows.'),
        failing: Count('Deployed workflows whose last run failed.'),
        paused: Count('Deployed workflows whose automatic runs are paused.'),
      }),
      connections: Type.Object({
        ok: Count('Registered applications that work.'),
        faulted: Count('Registered applications that are faulted.'),
        waiting: Count('Registered applications that are not authorized yet.'),
      }),
      webhooks: Type.Object({
        queued: Count('Webhook requests in the queue.'),
        oldestDateTimeUTC: { ...NullableTimestamp, description: 'When the oldest of them was accepted.' },
        givenUp: Count('Webhook requests given up after too many errors, as long as their history is kept.'),
      }),
      outbox: Type.Object({
        held: Count('E-mails held until SMTP is configured.'),
        failed: Count('E-mails that could not be sent.'),
      }),
      storage: Type.Object({
        storedBytes: Count('Bytes stored, as last measured.'),
        accountBytesMax: Count('The storage quota of an account.'),
        organizationStoredBytes: Type.Optional(
          Count('Bytes stored by all accounts of the organization; for a SuperPartner or Manager.'),
        ),
        organizationBytesMax: Count('The storage quota of an organization.'),
      }),
      attention: Type.Array(
        Type.Object({
          kind: Type.Enum([...attentionKinds]),
          accountId: Guid,
          accountName: AccountName,
          accountEmail: Type.String(),
          targetId: { ...Guid, description: 'The workflow, registered application, alarm or account.' },
          title: Type.String({ description: 'Its name.' }),
          message: Type.String({ description: 'What is wrong: the last error itself, where there is one.' }),
          sinceDateTimeUTC: NullableTimestamp,
        }),
        { description: 'Accounts out of storage first, then newest first; at most 200.' },
      ),
      accounts: Type.Optional(
        Type.Array(
          Type.Object({
            accountId: Guid,
            accountName: AccountName,
            email: Type.String(),
            failing: Count('Deployed workflows whose last run failed.'),
            faulted: Count('Registered applications that are faulted.'),
            queued: Count('Webhook requests in the queue.'),
          }),
          { description: 'With acrossAccounts: one item per account, those in trouble first, at most 1,000.' },
        ),
      ),
    }),
  },
  example: { body: {} },
})

export const usage = operation({
  name: 'Usage',
  feature: 'Monitoring',
  method: 'POST',
  path: '/api/Usage',
  description:
    'What accounts used, per day or month in UTC. Days and months without any use are left out. With ?format=csv the response is a CSV file.',
  otherContent: 'text/csv',
  query: Type.Object(
    { format: Type.Optional(Type.Enum(['json', 'csv'], { description: 'Default: json.' })) },
    { additionalProperties: false },
  ),
  body: Type.Object(
    {
      searchFrom: from,
      searchTo: to,
      bucket: Type.Enum(['day', 'month'], { description: 'At most 1,000 buckets.' }),
      acrossAccounts: Type.Optional(AcrossAccounts),
    },
    { additionalProperties: false },
  ),
  answers: {
    200: Type.Object({
      items: Type.Array(
        Type.Object({
          accountId: Guid,
          accountName: AccountName,
          email: Type.String(),
          startDateTimeUTC: { ...Timestamp, description: 'Beginning of the day or month.' },
          runs: Count('Runs that ended, Debug runs included.'),
          blocks: Count('Blocks that were executed.'),
          calls: Count('Calls to other services made by scripts.'),
          webhooks: Count('Webhook requests that were accepted.'),
          mails: Count('E-mails of scripts and of ApiProxyEmail.'),
          scriptMs: Count('Time in which scripts ran, not counting waits.'),
          storedBytes: Count('Bytes stored at the end of the bucket, as last measured.'),
        }),
      ),
    }),
  },
  example: {
    body: {
      searchFrom: '2026-03-01T00:00:00Z',
      searchTo: '2026-04-01T00:00:00Z',
      bucket: 'month',
      acrossAccounts: true,
    },
  },
})
