import type { Context } from '../context.ts'
import { table } from '../terminal.ts'

export async function accounts({ terminal, connect }: Context, options: { search?: string }): Promise<undefined> {
  const { client } = await connect()
  const body = options.search === undefined ? {} : { searchTerm: options.search }
  const found = await Array.fromAsync(client.each('ManagedAccounts', { body }))
  terminal.result(
    found,
    () => table(found.map(({ email, role, accountState, id }) => [email, role, accountState, id])) || 'No accounts.',
  )
}
