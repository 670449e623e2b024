// COPY as streams: whole tables pass through with the memory of a few buffers.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from, to } from 'pg-copy-streams'

/** The rows of a query in PostgreSQL's text format. */
export function copyOut(client: pg.Client, query: string): AsyncIterable<Buffer> {
  return client.query(to(`copy (${query}) to stdout`))
}

/** `target` is a table with its columns. */
export async function copyIn(client: pg.Client, target: string, rows: AsyncIterable<Buffer>): Promise<void> {
  await pipeline(Readable.from(rows, { objectMode: false }), client.query(from(`copy ${target} from stdin`)))
}
