// What the features stand on: the database, keys, stores, the catalogue, the queue, the way out, the stream.
import type { BesideDatabase } from './beside-database.ts'
import { Catalog, pinEarlierTemplates } from './catalog/index.ts'
import { HeldAccounts, SettledMoves } from './cells/index.ts'
import { createDatabaseRateLimiter } from './connections/index.ts'
import { ContentStores, Contents } from './contents/index.ts'
import type { Context } from './context.ts'
import { type ConnectionSettings, Database } from './db/index.ts'
import { createEventPublisher } from './events/index.ts'
import { Slots } from './http/index.ts'
import { createOutbox } from './mail/index.ts'
import { createGuard, createRefusalLog, OutboundClient } from './outbound/index.ts'
import { JobQueue } from './queue/index.ts'
import { queues } from './queues.ts'
import { KeyRing, MasterKeys } from './secrets/index.ts'
import { readDiskSpace, StorageLedger } from './storage/index.ts'
import { relayEvents, StreamSource } from './stream/index.ts'
import { giveEarlierBases } from './workflows/index.ts'

export type Infrastructure = Awaited<ReturnType<typeof createInfrastructure>>

export async function createInfrastructure(context: Context, connection: ConnectionSettings, beside: BesideDatabase) {
  const { config, parts, faultsOf, metrics } = context
  const database = parts.use(new Database(connection, faultsOf('database'), undefined, metrics.observeDatabaseWait))
  await database.checkSessions()
  const keyRing = await KeyRing.load(database, new MasterKeys(config.masterKey), config.systemKeySeed)
  const contents = await openContents(context, database, keyRing)
  const catalog = await openCatalog(context, database, beside.shippedCatalog)
  const ledger = await startLedger(context, database)
  const jobs = parts.use(
    await JobQueue.start(database, {
      definitions: queues,
      supervises: config.role !== 'api',
      onError: faultsOf('queue'),
    }),
  )
  const outbox = createOutbox({ keyRing, jobs, canSend: config.smtpUrl !== undefined, ledger })
  const { guard, outbound } = createWayOut(context, database)
  const held = config.cell === undefined ? undefined : await watchMoves(context, database)
  const events = createEventPublisher()
  const stream = parts.use(new StreamSource(database, faultsOf('stream')))
  await stream.start()
  const publish = relayEvents(stream.announce, events.publish)
  const slots = new Slots()
  return {
    slots,
    database,
    keyRing,
    contents,
    catalog,
    ledger,
    jobs,
    outbox,
    guard,
    outbound,
    held,
    events,
    stream,
    publish,
  }
}

async function watchMoves({ parts, faultsOf }: Context, database: Database): Promise<HeldAccounts> {
  const held = parts.use(new HeldAccounts(database, faultsOf('cells')))
  await held.start()
  parts.use(new SettledMoves(database, faultsOf('cells'))).start()
  return held
}

async function openContents({ config, faultsOf }: Context, database: Database, keyRing: KeyRing): Promise<Contents> {
  const onFault = faultsOf('contents')
  const stores = await ContentStores.open({ database, settings: config.contents, onFault })
  return new Contents({ stores, keyRing, bytesMin: config.contents.bytesMin, onFault })
}

async function openCatalog(
  { log }: Context,
  database: Database,
  shipped: BesideDatabase['shippedCatalog'],
): Promise<Catalog> {
  const catalog = await Catalog.load({
    database,
    shipped,
    onProblem: (problem) => log.warn({ part: 'catalog', ...problem }, 'A catalogue file is invalid and was left out.'),
  })
  await pinEarlierTemplates({ database, catalog })
  await giveEarlierBases({ database, catalog })
  return catalog
}

async function startLedger({ config, parts, faultsOf }: Context, database: Database): Promise<StorageLedger> {
  const ledger = parts.use(
    new StorageLedger({
      database,
      limits: config.storage,
      diskSpace: () => readDiskSpace(config.dataDir),
      onFault: faultsOf('storage'),
    }),
  )
  await ledger.start()
  return ledger
}

/** How requests leave for others, and the guard that judges where they may go. */
function createWayOut({ config, log, parts }: Context, database: Database) {
  const guard = createGuard({
    allow: config.egressAllow,
    onRefusal: createRefusalLog((refusal, sentence) => log.warn({ part: 'outbound', ...refusal }, sentence)),
  })
  const outbound = parts.use(
    new OutboundClient({
      guard,
      rateLimiter: createDatabaseRateLimiter(database),
      // Describing a call takes time, so it is done only where somebody reads it.
      ...(log.isLevelEnabled('debug')
        ? { onHop: (hop) => log.debug({ part: 'outbound', ...hop }, 'A target was called.') }
        : {}),
    }),
  )
  return { guard, outbound }
}
