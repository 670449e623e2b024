import type { Context } from '../context.ts'

export async function whoami({ terminal, connect }: Context): Promise<undefined> {
  const { client, url } = await connect()
  const { myAccount, managedAccount } = await client.authenticate()
  terminal.result({ url, myAccount, ...(managedAccount ? { managedAccount } : {}) }, () => {
    const own = `${myAccount.email} (${myAccount.role}) of ${myAccount.organizationName} at ${url}`
    return managedAccount ? `${own}\nacting for ${managedAccount.email} of ${managedAccount.organizationName}` : own
  })
}
