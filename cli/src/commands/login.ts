import { createClient } from '@patchbay/sdk'
import type { Context } from '../context.ts'
import { wrongUse } from '../failure.ts'
import { checkUrl } from '../session/connect.ts'
import { profilesPath, saveProfile } from '../session/profiles.ts'
import { readSecret } from './read-input.ts'

type Options = { consumer: string; secretKeyStdin?: boolean }

/** Nothing is stored unless the service accepts the keys. */
export async function login({ terminal, env, choice }: Context, options: Options): Promise<undefined> {
  if (!choice.url) throw wrongUse('Give the address of the service: --url URL.')
  if (!options.secretKeyStdin) {
    throw wrongUse(
      'Add --secret-key-stdin, then pipe the SecretKey in or type it when asked. Arguments can be seen by other users.',
    )
  }
  const secretKey = await readSecret('SecretKey: ')
  if (secretKey === '') throw wrongUse('Standard input holds no SecretKey.')
  const url = checkUrl(choice.url)
  const client = createClient({ baseUrl: url, keys: { consumer: options.consumer, secretKey } })
  const { myAccount } = await client.authenticate()
  const profile = choice.profile ?? env['PATCHBAY_PROFILE'] ?? 'default'
  saveProfile(env, profile, { url, consumer: options.consumer, secretKey })
  terminal.result(
    { profile, url, email: myAccount.email, role: myAccount.role },
    () =>
      `Logged in to ${url} as ${myAccount.email} (${myAccount.role}). Profile "${profile}" is in ${profilesPath(env)}.`,
  )
}
