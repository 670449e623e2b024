import { type Database, isUpToDate, sql } from './db/index.ts'

/** What readiness asks of the database: that it answers, is the one of this program, and still has our keys. */
export async function databaseFault(database: Database): Promise<string | undefined> {
  const late = new Promise<string>((done) => setTimeout(() => done('The database does not answer.'), 1500).unref())
  const asked = database.system
    .query<{ names: string[]; has_keys: boolean }>(
      sql`select array(select name from migrations order by name) as names, exists (select from system_keys) as has_keys`,
    )
    .then(
      ({ rows: [row] }) => {
        if (!row?.has_keys) return 'The keys of the installation are gone from the database.'
        return isUpToDate(row.names) ? undefined : 'The database does not have the migrations of this program.'
      },
      () => 'The database cannot be reached.',
    )
  return Promise.race([asked, late])
}
