// What one statement behind the framework costs on this machine: the same database, the same kind of row, no rules. A program of its own, as the service is.
import Fastify from 'fastify'
import pg from 'pg'

const [host] = process.argv.slice(2)
const pool = new pg.Pool({ host: host as string, port: 5432, user: 'postgres', database: 'postgres', max: 10 })
await pool.query(
  'create table if not exists bare_values (holder text, key text, value bytea, primary key (holder, key))',
)
const app = Fastify()
app.get<{ Params: { key: string } }>('/get/:key', async ({ params }) => {
  const { rows } = await pool.query({
    name: 'get',
    text: 'select value from bare_values where holder = $1 and key = $2',
    values: ['h', params.key],
  })
  return rows[0] ? JSON.parse(rows[0].value.toString()) : null
})
app.post<{ Params: { key: string }; Body: { jsonData: unknown } }>('/set/:key', async ({ params, body }) => {
  const text =
    'insert into bare_values values ($1, $2, $3) on conflict (holder, key) do update set value = excluded.value'
  await pool.query({ name: 'set', text, values: ['h', params.key, Buffer.from(JSON.stringify(body.jsonData))] })
  return true
})
console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
