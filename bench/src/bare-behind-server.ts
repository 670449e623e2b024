// The vault's own routes behind our own server, with its keys, limits and schemas, but with the bare statement in place of the vault.
import { join } from 'node:path'
import { operations } from '../../contract/src/index.ts'
import { Database } from '../../server/src/db/index.ts'
import { createHttpServer, rateLimiter } from '../../server/src/http/index.ts'
import { KeyAuthenticator } from '../../server/src/keys/index.ts'
import { openLog } from '../../server/src/log.ts'
import { createMetrics } from '../../server/src/metrics/index.ts'
import { KeyRing, MasterKeys } from '../../server/src/secrets/index.ts'
import { openBareValues } from './bare-values.ts'

const [dataDir = ''] = process.argv.slice(2)
const fail = (error: unknown) => {
  throw error
}
const database = new Database({ host: join(dataDir, 'run'), port: 5432, database: 'postgres' }, fail)
const masterKeys = new MasterKeys({ kind: 'file', path: join(dataDir, 'master.key'), createIfMissing: false })
const keyRing = await KeyRing.load(database, masterKeys)
const keys = new KeyAuthenticator(database, keyRing.systemKey('apiKeyHash'), fail)
const values = await openBareValues(join(dataDir, 'run'))

type Place = { params: { accountId: string; key: string } }
const { MyVaultGetGlobal, MyVaultSetGlobal } = operations
const http = await createHttpServer({
  operations: { MyVaultGetGlobal, MyVaultSetGlobal },
  handlers: {
    MyVaultGetGlobal: ({ params }: Place) => values.get(params.accountId, params.key),
    MyVaultSetGlobal: ({ params, body }: Place & { body: { jsonData: unknown } }) =>
      values.set(params.accountId, params.key, body.jsonData),
  },
  authenticators: {
    byKeys: (consumer, secretKey, address) => keys.authenticate(consumer, secretKey, address),
    bySession: () => Promise.reject(new Error('There are no sessions here.')),
    managedAccount: () => Promise.reject(new Error('There are no managed accounts here.')),
  },
  pages: [],
  rateLimiter: rateLimiter(1_000_000),
  metrics: createMetrics('api'),
  logger: openLog('warn', 'json').log,
  trustedProxies: [],
})
console.log(await http.listen({ host: '127.0.0.1', port: 0 }))
