import { Type } from 'typebox'
import { Guid } from './ids.ts'
import { PersonName } from './names.ts'
import { operation } from './operation.ts'
import { Page, SearchTerm, Size, TagFilter } from './paging.ts'
import { Role } from './roles.ts'

export const accountStates = ['inActive', 'active', 'locked', 'archived'] as const
export type AccountStateName = (typeof accountStates)[number]
export const AccountState = Type.Enum([...accountStates], { description: 'inActive, active, locked or archived.' })

// RFC 5322 allows far more than mail systems do; this refuses what no mail could reach, control characters above all.
const emailPattern = '^[^\\s@<>()\\[\\],;:"\\\\\\u0000-\\u001f\\u007f]{1,64}@[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$'

export const Email = Type.String({ maxLength: 254, pattern: emailPattern, title: 'e-mail address' })

export function isEmail(text: string): boolean {
  return text.length <= 254 && new RegExp(emailPattern).test(text)
}

export const ClientListApiDto = Type.Object(
  {
    id: { ...Guid, description: 'Id of the account.' },
    email: Type.String({ description: 'Unique e-mail address.' }),
    firstName: Type.String({ description: 'First name.' }),
    lastName: Type.String({ description: 'Last name.' }),
    role: Role,
    accountState: AccountState,
    organizationName: Type.Optional(Type.String({ description: 'Name of the organization; only in the list form.' })),
    tags: Type.Array(Type.String(), { description: 'Tags of the account.' }),
  },
  { description: 'Account summary.' },
)

export const listAccounts = operation({
  name: 'Accounts',
  feature: 'Accounts',
  method: 'GET',
  path: '/api/Accounts',
  description: 'Every account the caller may manage.',
  lowestRole: 'Manager',
  answers: { 200: Type.Array(ClientListApiDto) },
})

export const AccountSearch = Type.Object(
  {
    page: Type.Optional(Page),
    size: Type.Optional(Size),
    searchTerm: Type.Optional(SearchTerm),
    accountState: Type.Optional(Type.Array(AccountState, { maxItems: 10 })),
    tags: Type.Optional(TagFilter),
  },
  { additionalProperties: false },
)
export const AccountPage = Type.Object({ accounts: Type.Array(ClientListApiDto), total: Type.Integer() })

export const searchAccounts = operation({
  name: 'AccountsSearch',
  feature: 'Accounts',
  method: 'POST',
  path: '/api/Accounts',
  description: 'Search the accounts the caller may manage.',
  lowestRole: 'Manager',
  body: AccountSearch,
  answers: { 200: AccountPage },
  example: { body: { page: 0, size: 20, searchTerm: 'anna', accountState: ['Active'] } },
})

export const searchManagedAccounts = operation({
  name: 'ManagedAccounts',
  feature: 'Accounts',
  method: 'POST',
  path: '/api/ManagedAccounts',
  description: 'Search the accounts the caller may act for, the caller included.',
  body: AccountSearch,
  answers: { 200: AccountPage },
  example: { body: { page: 0, size: 20, searchTerm: 'anna' } },
})

const CountryKey = Type.String({ pattern: '^[A-Za-z]{2}$', title: 'two-letter ISO country code' })

export const createAccount = operation({
  name: 'AccountCreate',
  feature: 'Accounts',
  method: 'POST',
  path: '/api/Account',
  description: 'Create an account in the organization of the caller, or of the managed account.',
  changesState: true,
  audit: 'account.created',
  body: Type.Object(
    {
      email: Email,
      firstName: PersonName,
      lastName: PersonName,
      roleName: Type.String({ description: 'User, DevPartner or SuperPartner, and not above the rank of the caller.' }),
      countryKey: Type.Optional(CountryKey),
      activated: Type.Optional(Type.Boolean({ default: false })),
    },
    { additionalProperties: false },
  ),
  answers: { 200: Guid },
  refuses: ['email_taken', 'role_not_permitted', 'user_cannot_create_accounts', 'activation_not_permitted'],
  example: { body: { email: 'anna@example.com', firstName: 'Anna', lastName: 'Berg', roleName: 'User' } },
})

export const updateAccount = operation({
  name: 'AccountUpdate',
  feature: 'Accounts',
  method: 'POST',
  path: '/api/AccountUpdate/:id',
  description:
    'Change the name, country, role or permission of an account of the organization. Omitted fields stay unchanged.',
  changesState: true,
  audit: 'account.changed',
  lowestRole: 'Manager',
  params: Type.Object({ id: Guid }),
  body: Type.Object(
    {
      firstName: Type.Optional(PersonName),
      lastName: Type.Optional(PersonName),
      countryKey: Type.Optional(CountryKey),
      roleName: Type.Optional(
        Type.String({
          description: 'User, DevPartner, SuperPartner or Manager. The last active Manager keeps its role.',
        }),
      ),
      canActivateAccounts: Type.Optional(
        Type.Boolean({
          description:
            'Whether the account may activate others without their e-mailed link. Only an account that has this permission can grant it.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  answers: { 200: null },
  refuses: ['not_found', 'role_not_permitted', 'activation_not_permitted'],
  example: { body: { roleName: 'DevPartner' } },
})

export const resendActivation = operation({
  name: 'ResendActivation',
  feature: 'Accounts',
  method: 'POST',
  path: '/api/ResendActivation/:id',
  description:
    'E-mail a new activation link to an account that is inActive and that the caller may act for. Older links stop working.',
  changesState: true,
  audit: 'account.invitedAgain',
  params: Type.Object({ id: Guid }),
  answers: { 200: null },
  refuses: ['not_found', 'account_state_not_permitted', 'too_many_requests'],
})

export const setAccountState = operation({
  name: 'AccountState',
  feature: 'Accounts',
  method: 'POST',
  path: '/api/AccountState/:id',
  description: 'Activate, lock or archive an account of the organization.',
  changesState: true,
  audit: 'account.stateChanged',
  lowestRole: 'Manager',
  params: Type.Object({ id: Guid }),
  body: Type.Object({ accountState: AccountState }, { additionalProperties: false }),
  answers: { 200: null },
  refuses: ['not_found', 'account_state_not_permitted'],
  example: { body: { accountState: 'Locked' } },
})
