// Looks after requests that would be refused because nobody knows their keys or addresses: their organization may be on its way to another cell, or
// live there already.
import type { IncomingMessage } from 'node:http'
import { type Database, sql } from '../../db/index.ts'
import { AppError } from '../../lib/app-error.ts'
import { addressesOf } from './addresses.ts'
import { settledKept } from './settled-moves.ts'

export class Elsewhere {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** What is to be said instead of the refusal; undefined when the refusal stands. */
  async find(
    request: Pick<IncomingMessage, 'url' | 'headers'>,
  ): Promise<{ refusal: AppError; cell: string } | undefined> {
    const addresses = addressesOf(request)
    if (addresses.length === 0) return undefined
    const { rows } = await this.#database.lookups.query<{ state: 'Held' | 'Moved'; to_cell: string }>(sql`
      select m.state, m.to_cell from moved_addresses a join organization_moves m on m.organization_id = a.organization_id
      where a.address = any(${addresses}::text[]) and (m.settled_at is null or m.settled_at > now() - ${settledKept}) limit 1`)
    const found = rows[0]
    if (!found) return undefined
    const refusal =
      found.state === 'Held'
        ? new AppError('not_ready', 'This organization is being moved to another cell. Try again in a few seconds.')
        : new AppError(
            'in_another_cell',
            `This organization has moved to the cell ${found.to_cell}. Send the request there.`,
          )
    return { refusal, cell: found.to_cell }
  }
}
