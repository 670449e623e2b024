// Which installation, with which keys, for which account. The environment wins over profiles, so that CI needs no file.
import { type Client, createClient, isGuid } from '@patchbay/sdk'
import { Failure, wrongUse } from '../failure.ts'
import { type Environment, type Profile, readProfiles } from './profiles.ts'

export type Choice = { profile?: string; url?: string; account?: string }

/** Where a command works: the client, and what names the place in state files. */
export type Connection = { client: Client; url: string; accountId: string; email: string }

export function chooseProfile(env: Environment, choice: Choice): Profile {
  const name = choice.profile ?? env['PATCHBAY_PROFILE']
  const url = choice.url ?? env['PATCHBAY_URL']
  const [consumer, secretKey] = [env['PATCHBAY_CONSUMER'], env['PATCHBAY_SECRET_KEY']]
  if (choice.profile === undefined && consumer && secretKey) {
    if (!url) throw wrongUse('PATCHBAY_CONSUMER and PATCHBAY_SECRET_KEY are set; set PATCHBAY_URL as well.')
    return { url: checkUrl(url), consumer, secretKey }
  }
  const stored = readProfiles(env)
  const profile = stored.profiles[name ?? stored.current]
  if (!profile) {
    throw new Failure(
      name === undefined
        ? 'Not logged in. Run "patchbay login --url URL --consumer KEY --secret-key-stdin".'
        : `No profile "${name}". Known: ${Object.keys(stored.profiles).join(', ') || 'none'}.`,
    )
  }
  // Keys belong to one installation and are never sent to another.
  if (url && checkUrl(url) !== profile.url) {
    throw new Failure(`The keys of this profile are for ${profile.url}. Log in to ${url} under another profile.`)
  }
  return profile
}

export function checkUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password) {
    throw wrongUse('The address must start with http:// or https:// and contain no user name or password.')
  }
  return text.replace(/\/+$/, '')
}

export async function connect(env: Environment, choice: Choice): Promise<Connection> {
  const { url, consumer, secretKey } = chooseProfile(env, choice)
  const keys = { consumer, secretKey }
  const own = createClient({ baseUrl: url, keys })
  const managedAccountId = choice.account === undefined ? undefined : await findAccount(own, choice.account)
  const client = managedAccountId === undefined ? own : createClient({ baseUrl: url, keys, managedAccountId })
  const { myAccount, managedAccount } = await client.authenticate()
  const account = managedAccount ?? myAccount
  return { client, url, accountId: account.id, email: account.email }
}

async function findAccount(client: Client, given: string): Promise<string> {
  const email = given.toLowerCase()
  if (isGuid(given)) return given
  for await (const account of client.each('ManagedAccounts', { body: { searchTerm: email } })) {
    if (account.email.toLowerCase() === email) return account.id
  }
  throw new Failure(`No account ${given} that you may act for. "patchbay accounts" lists them.`)
}
