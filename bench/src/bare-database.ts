// What one statement behind the framework alone costs on this machine: no keys, no rules. A program of its own, as the service is.
import { join } from 'node:path'
import Fastify from 'fastify'
import { openBareValues } from './bare-values.ts'

const [dataDir = ''] = process.argv.slice(2)
const values = await openBareValues(join(dataDir, 'run'))
type Place = { Params: { holder: string; key: string } }
const app = Fastify()
app.get<Place>('/api/MyVaultGetGlobal/:holder/:key', ({ params }) => values.get(params.holder, params.key))
app.post<Place & { Body: { jsonData: unknown } }>('/api/MyVaultSetGlobal/:holder/:key', ({ params, body }) =>
  values.set(params.holder, params.key, body.jsonData),
)
console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
