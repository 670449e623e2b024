import pg from 'pg'

export type HeldLock = AsyncDisposable & { release(): Promise<void> }

/** Keeps the locks of a statement on a connection of its own, so that whoever needs them waits for as long as a test wants. */
export async function holdLock(databaseUrl: string, statement: string, values: unknown[] = []): Promise<HeldLock> {
  const owner = new pg.Client({ connectionString: databaseUrl, options: '-c search_path=patchbay' })
  await owner.connect()
  await owner.query('begin')
  await owner.query(statement, values)
  let ending: Promise<void> | undefined
  const release = () => {
    ending ??= owner.end()
    return ending
  }
  return { release, [Symbol.asyncDispose]: release }
}
