import pg from 'pg'

/** One statement a value, as plain as it can be: a table of its own in the same database, no rules, no encryption. */
export async function openBareValues(host: string) {
  const pool = new pg.Pool({ host, port: 5432, user: 'postgres', database: 'postgres', max: 10 })
  await pool.query(
    'create table if not exists bare_values (holder text, key text, value bytea, primary key (holder, key))',
  )
  return {
    async get(holder: string, key: string): Promise<unknown> {
      const text = 'select value from bare_values where holder = $1 and key = $2'
      const { rows } = await pool.query({ name: 'get', text, values: [holder, key] })
      return rows[0] ? JSON.parse(rows[0].value.toString()) : null
    },
    async set(holder: string, key: string, value: unknown): Promise<true> {
      const text =
        'insert into bare_values values ($1, $2, $3) on conflict (holder, key) do update set value = excluded.value'
      await pool.query({ name: 'set', text, values: [holder, key, Buffer.from(JSON.stringify(value))] })
      return true
    },
  }
}
