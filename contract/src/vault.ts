import { Type } from 'typebox'
import { Guid, Timestamp } from './ids.ts'
import { operation } from './operation.ts'
import { Page, SearchTerm, Size } from './paging.ts'

/** The JSON text of one value, in bytes of UTF-8. */
export const vaultValueBytesMax = 1024 * 1024

export const vaultKeyLengthMax = 512

// The length is not part of the schema: an address that does not fit its schema is 404, and a key that is too long is 400.
const Key = Type.String({
  description: '1 to 512 characters, percent-encoded where the URL needs it.',
})
const InWorkflow = Type.Object({ workflowId: Guid, key: Key })
const InAccount = Type.Object({ accountId: Guid, key: Key })

const Entry = Type.Object(
  { jsonData: Type.Unknown({ description: 'Any JSON value of up to 1 MiB.' }) },
  { additionalProperties: false },
)
const Stored = Type.Unknown({ description: 'The stored value; null when there is none.' })

export const setInWorkflow = operation({
  name: 'MyVaultSet',
  feature: 'Vault',
  method: 'POST',
  path: '/api/MyVaultSet/:workflowId/:key',
  description: 'Store a value, encrypted, that only this workflow sees.',
  changesState: true,
  audit: 'vault.set',
  params: InWorkflow,
  body: Entry,
  answers: { 200: Type.Boolean() },
  refuses: ['not_found', 'storage_full'],
  example: { body: { jsonData: { cursor: 42 } }, answer: true },
})

export const getInWorkflow = operation({
  name: 'MyVaultGet',
  feature: 'Vault',
  method: 'GET',
  path: '/api/MyVaultGet/:workflowId/:key',
  description: 'Read a value of the workflow.',
  audit: 'vault.read',
  params: InWorkflow,
  answers: { 200: Stored },
  refuses: ['not_found'],
})

export const removeInWorkflow = operation({
  name: 'MyVaultRemove',
  feature: 'Vault',
  method: 'GET',
  path: '/api/MyVaultRemove/:workflowId/:key',
  description: 'Delete a value of the workflow; true when there was one.',
  changesState: true,
  audit: 'vault.removed',
  params: InWorkflow,
  answers: { 200: Type.Boolean() },
  refuses: ['not_found'],
})

export const containsInWorkflow = operation({
  name: 'MyVaultContains',
  feature: 'Vault',
  method: 'GET',
  path: '/api/MyVaultContains/:workflowId/:key',
  description: 'Whether the workflow has a value under this key.',
  params: InWorkflow,
  answers: { 200: Type.Boolean() },
  refuses: ['not_found'],
})

export const setInAccount = operation({
  name: 'MyVaultSetGlobal',
  feature: 'Vault',
  method: 'POST',
  path: '/api/MyVaultSetGlobal/:accountId/:key',
  description: 'Store a value, encrypted, that every workflow of the account sees.',
  changesState: true,
  audit: 'vault.set',
  params: InAccount,
  body: Entry,
  answers: { 200: Type.Boolean() },
  refuses: ['not_found', 'storage_full'],
  example: { body: { jsonData: 'shared' }, answer: true },
})

export const getInAccount = operation({
  name: 'MyVaultGetGlobal',
  feature: 'Vault',
  method: 'GET',
  path: '/api/MyVaultGetGlobal/:accountId/:key',
  description: 'Read a value of the account.',
  audit: 'vault.read',
  params: InAccount,
  answers: { 200: Stored },
  refuses: ['not_found'],
})

export const removeInAccount = operation({
  name: 'MyVaultRemoveGlobal',
  feature: 'Vault',
  method: 'GET',
  path: '/api/MyVaultRemoveGlobal/:accountId/:key',
  description: 'Delete a value of the account; true when there was one.',
  changesState: true,
  audit: 'vault.removed',
  params: InAccount,
  answers: { 200: Type.Boolean() },
  refuses: ['not_found'],
})

export const containsInAccount = operation({
  name: 'MyVaultContainsGlobal',
  feature: 'Vault',
  method: 'GET',
  path: '/api/MyVaultContainsGlobal/:accountId/:key',
  description: 'Whether the account has a value under this key.',
  params: InAccount,
  answers: { 200: Type.Boolean() },
  refuses: ['not_found'],
})

export const listVaultKeys = operation({
  name: 'VaultKeys',
  feature: 'Vault',
  method: 'POST',
  path: '/api/VaultKeys',
  description: 'The keys in the vault of a workflow, or of the account. Values are not shown.',
  body: Type.Object(
    {
      workflowId: Type.Optional({
        ...Guid,
        description: 'The workflow; without it the keys of the account are listed.',
      }),
      searchTerm: Type.Optional(SearchTerm),
      page: Type.Optional(Page),
      size: Type.Optional(Size),
    },
    { additionalProperties: false },
  ),
  answers: {
    200: Type.Object({
      items: Type.Array(
        Type.Object({
          key: Type.String(),
          sizeBytes: Type.Integer({ description: 'Size of the value as JSON.' }),
          modifyDateTimeUTC: { ...Timestamp, description: 'When the value was last set.' },
        }),
      ),
      total: Type.Integer(),
    }),
  },
  refuses: ['not_found'],
  example: { body: { page: 0, size: 50 } },
})
