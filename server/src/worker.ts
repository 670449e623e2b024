// The role `worker`: what is done without anybody asking over HTTP.
import { ActivityRoller, StorageMeter } from './activity/index.ts'
import { AlarmKeeper } from './alarms/index.ts'
import { AuditChain, AuditRetention } from './audit/index.ts'
import { ClockWatch } from './clock/index.ts'
import { ConnectionHealthChecks } from './connections/index.ts'
import { ContentSweep } from './contents/index.ts'
import type { Context } from './context.ts'
import { DeliveryWorker, EventHandOn } from './events/index.ts'
import { Mailer } from './mail/index.ts'
import { ReplayWorker } from './replay/index.ts'
import { startErrorRuns } from './runs/index.ts'
import { Scheduler } from './schedules/index.ts'
import { Indexer } from './search/index.ts'
import type { Services } from './services.ts'
import { UpgradeWorker } from './upgrades/index.ts'
import { RevisionRetention } from './workflows/index.ts'

/**
 * Everything that acts by itself: mail, care for connections, events, runs, schedules, webhooks. Runs are taken when the whole process has
 * started: one that is called off before has none to bring to an end.
 */
export async function startWorker(
  { config, parts, faultsOf, place }: Context,
  services: Services,
): Promise<{ takeRuns(): void; leaveRuns(): void }> {
  const { database, keyRing, jobs, outbox, outbound, connecting, events, runs, webhooks, ledger, contents } = services
  parts.use(new ClockWatch(database, faultsOf('clock'))).start()
  if (config.smtpUrl !== undefined) {
    const mailer = parts.use(
      new Mailer({
        database,
        keyRing,
        jobs,
        smtpUrl: config.smtpUrl,
        from: config.mailFrom,
        onFault: faultsOf('mail'),
      }),
    )
    mailer.start()
  }
  parts.use(new AuditChain(database, keyRing.systemKey('auditChain'), faultsOf('audit'))).start()
  parts.use(new AuditRetention(database, config.auditRetentionYears, faultsOf('audit'))).start()
  const yearsKept = { statistics: config.statisticsRetentionYears, usage: config.usageRetentionYears }
  const revisionDays = { daysKept: config.revisionRetentionDays, runDaysKept: config.runRetentionDays }
  await parts.use(new ConnectionHealthChecks({ ...connecting, jobs })).start()
  parts.use(new ActivityRoller(database, yearsKept, faultsOf('activity'))).start()
  parts.use(new RevisionRetention(database, revisionDays, faultsOf('workflows'))).start()
  parts.use(new StorageMeter(database, faultsOf('activity'))).start()
  parts
    .use(
      new AlarmKeeper({
        database,
        publish: services.publish,
        baseUrl: () => place.baseUrl,
        daysKept: config.alarmRetentionDays,
        onFault: faultsOf('alarms'),
      }),
    )
    .start()
  const deliveries = parts.use(new DeliveryWorker({ database, keyRing, outbound, onFault: faultsOf('events') }))
  deliveries.start()
  parts
    .use(
      new EventHandOn({
        database,
        outbox,
        events,
        onHandingOn: (tx, eventIds) => startErrorRuns(runs.starter, tx, eventIds),
        onDeliveries: () => deliveries.wake(),
        onFault: faultsOf('events'),
      }),
    )
    .start()
  await parts.use(runs.createRetention()).start()
  parts.use(new ContentSweep({ database, contents, onFault: faultsOf('contents') })).start()
  const dispatcher = parts.use(runs.createWorker())
  await parts.use(new ReplayWorker(services.replaying)).start()
  parts
    .use(
      new Scheduler({
        database,
        starter: runs.starter,
        hasRoom: (accountId) => ledger.hasRoom(accountId),
        hasDisk: () => ledger.hasDisk,
        onFault: faultsOf('schedules'),
      }),
    )
    .start()
  parts.use(await webhooks.startWorker())
  await parts.use(new UpgradeWorker(services.upgrading, jobs)).start()
  const retention = { daysKept: config.runRetentionDays, runsKeptMax: config.runRetentionCount }
  parts.use(new Indexer({ database, keyRing, contents, retention, onFault: faultsOf('search') })).start()
  return { takeRuns: () => dispatcher.start(), leaveRuns: () => dispatcher.leave() }
}
