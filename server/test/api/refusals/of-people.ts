// Accounts, their keys, sessions and tags.
import { createAccount, uniqueEmail } from '../../harness/accounts.ts'
import { type Refusal, refusal, type Surroundings, shared } from './refusal.ts'

const nothing = '00000000-0000-4000-8000-00000000dead'

export function refusalsOfPeople(at: Surroundings): Refusal[] {
  const newAccount = (more: object = {}) => ({
    email: uniqueEmail(),
    firstName: 'Ada',
    lastName: 'Test',
    roleName: 'User',
    ...more,
  })
  const partner = shared(async () => (await createAccount(at.service, at.manager, 'DevPartner')).client)
  /** A Manager without the permission that the first one has. */
  const plainManager = shared(async () => {
    const made = await createAccount(at.service, at.manager, 'User')
    await at.manager.post(`/api/AccountUpdate/${made.id}`, { roleName: 'Manager' })
    return made.client
  })
  /** Within the reach of the partner who created it, and above that partner's rank. */
  const promoted = shared(async () => {
    const id = (await (await partner()).post('/api/Account', newAccount())).body as string
    await at.manager.post(`/api/AccountUpdate/${id}`, { roleName: 'SuperPartner' })
    return (await partner()).as(id)
  })
  const visitor = () => at.service.client(undefined)
  const signIn = (email: string) => visitor().post('/api/SignIn', { email, password: 'not the password' })
  const tag = (verb: string, entity: string) => at.manager.post(`/api/AttributeTag${verb}/${entity}`, { value: 'v' })

  return [
    refusal('AccountCreate', 'email_taken', ' already exists.', () =>
      at.manager.post('/api/Account', newAccount({ email: at.service.firstAccount.email })),
    ),
    refusal('AccountCreate', 'role_not_permitted', 'must not be above your own role', async () =>
      (await partner()).post('/api/Account', newAccount({ roleName: 'SuperPartner' })),
    ),
    refusal('AccountCreate', 'user_cannot_create_accounts', 'with the role User cannot create accounts.', () =>
      at.user.post('/api/Account', newAccount()),
    ),
    refusal('AccountCreate', 'activation_not_permitted', 'Creating activated accounts needs the permission', async () =>
      (await partner()).post('/api/Account', newAccount({ activated: true })),
    ),
    refusal('AccountUpdate', 'role_not_permitted', 'The field roleName must be one of ', () =>
      at.manager.post(`/api/AccountUpdate/${at.service.firstAccount.accountId}`, { roleName: 'Nobody' }),
    ),
    refusal('AccountUpdate', 'activation_not_permitted', 'can give it to another.', async () =>
      (await plainManager()).post(`/api/AccountUpdate/${at.service.firstAccount.accountId}`, {
        canActivateAccounts: true,
      }),
    ),
    refusal('ResendActivation', 'account_state_not_permitted', 'This account is active.', () =>
      at.manager.post(`/api/ResendActivation/${at.service.firstAccount.accountId}`),
    ),
    refusal('ResendActivation', 'too_many_requests', 'activation e-mails per hour. Try again later.', async () => {
      const id = (await at.manager.post('/api/Account', newAccount())).body
      for (let mails = 0; mails < 5; mails++) await at.manager.post(`/api/ResendActivation/${id}`)
      return at.manager.post(`/api/ResendActivation/${id}`)
    }),
    refusal('ApiKeyCreate', 'role_too_low', 'This needs the role SuperPartner or higher', async () =>
      (await promoted()).post('/api/ApiKey', {}),
    ),
    refusal('ApiKeyUpdate', 'role_too_low', 'This needs the role SuperPartner or higher', async () =>
      (await promoted()).post(`/api/ApiKey/${nothing}`, { label: 'another' }),
    ),
    refusal('DeleteApiKey', 'role_too_low', 'This needs the role SuperPartner or higher', async () =>
      (await promoted()).get(`/api/DeleteApiKey/${nothing}`),
    ),
    refusal('SignIn', 'sign_in_failed', 'The e-mail address or the password is wrong', () => signIn(uniqueEmail())),
    refusal('SignIn', 'too_many_requests', 'Too many failed sign-ins. Try again in ', async () => {
      const email = uniqueEmail()
      let answer = await signIn(email)
      // The first waits are short, and may be over on a busy machine; ten guesses lock.
      for (let guesses = 1; guesses < 12 && answer.status !== 429; guesses++) answer = await signIn(email)
      return answer
    }),
    refusal('SignIn', 'foreign_origin', 'This request came from a page of another site.', () =>
      visitor()
        .with({ Origin: 'https://elsewhere.example' })
        .post('/api/SignIn', { email: uniqueEmail(), password: 'not the password' }),
    ),
    refusal('Session', 'session_invalid', 'Nobody is signed in, or the session has ended.', () =>
      visitor().get('/api/Session'),
    ),
    refusal('SignOut', 'session_invalid', 'The header X-CSRF-Token is missing or wrong.', () =>
      visitor().with({ Cookie: 'patchbay_session=anything' }).post('/api/SignOut'),
    ),
    refusal('AttributeTagAdd', 'entity_type_unknown', 'The path parameter entityType must be one of ', () =>
      tag('Add', `nothing/${nothing}`),
    ),
    refusal('AttributeTagDelete', 'entity_type_unknown', 'The path parameter entityType must be one of ', () =>
      tag('Delete', `nothing/${nothing}`),
    ),
    refusal('AttributeTagDelete', 'tagged_entity_not_found', 'The account was not found', () =>
      tag('Delete', `account/${nothing}`),
    ),
  ]
}
