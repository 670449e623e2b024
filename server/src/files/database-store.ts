// Files in PostgreSQL, in pieces: any process serves them, and a backup of the database holds them.
import { Readable } from 'node:stream'
import { type Database, sql } from '../db/index.ts'
import { type FileStore, MissingFileError } from './file-store.ts'

/** There is one such store in a database. */
const storeId = '00000000-0000-4000-8000-64617461626f'
const pieceBytes = 1024 * 1024

export function openDatabaseStore(
  database: Pick<Database, 'system'>,
  requireSpace: (moreBytes: number) => Promise<void>,
): FileStore {
  const db = database.system
  return {
    id: storeId,
    requireSpace,
    create: async () => {},
    write: async (group, file, bytes) => {
      let number = 0
      for await (const piece of piecesOf(bytes)) {
        await db.query(sql`
          insert into file_pieces (group_id, file_id, number, bytes) values (${group}, ${file}, ${number++}, ${piece})`)
        // The database shares its disk with whatever else lies there.
        if (number % 64 === 0) await requireSpace(0)
      }
    },
    settle: async () => {},
    list: async (group) => {
      const { rows } = await db.query<{ file_id: string }>(
        sql`select distinct file_id from file_pieces where group_id = ${group}`,
      )
      return rows.map(({ file_id }) => file_id)
    },
    read: async (group, file) => {
      const pieceAt = async (number: number) => {
        const { rows } = await db.query<{ bytes: Buffer }>(
          sql`select bytes from file_pieces where group_id = ${group} and file_id = ${file} and number = ${number}`,
        )
        return rows[0]?.bytes
      }
      const first = await pieceAt(0)
      if (!first) throw new MissingFileError('The file is not there.')
      async function* pieces() {
        for (let number = 0, piece: Buffer | undefined = first; piece; piece = await pieceAt(++number)) yield piece
      }
      return Readable.from(pieces(), { objectMode: false })
    },
    remove: async (group) => void (await db.query(sql`delete from file_pieces where group_id = ${group}`)),
  }
}

async function* piecesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const held: Buffer[] = []
  let heldBytes = 0
  for await (const chunk of bytes) {
    held.push(chunk)
    heldBytes += chunk.length
    if (heldBytes < pieceBytes) continue
    yield Buffer.concat(held.splice(0))
    heldBytes = 0
  }
  if (heldBytes > 0) yield Buffer.concat(held)
}
