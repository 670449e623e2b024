import { Type } from 'typebox'
import { Guid, Timestamp } from './ids.ts'
import { Label } from './names.ts'
import { operation } from './operation.ts'

const IpRestriction = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
  maxItems: 200,
  description: 'Addresses or CIDR ranges, IPv4 or IPv6. Empty: any address.',
})

const KeySettings = Type.Object(
  {
    label: Type.Optional(Label),
    ipRestriction: Type.Optional(IpRestriction),
    expiresDateTimeUTC: Type.Optional(
      Type.Union([Timestamp, Type.Null()], { description: 'When the pair stops working. Null: never.' }),
    ),
  },
  { additionalProperties: false },
)

const KeyId = Type.Object({ id: Guid })

export const KeyPair = Type.Object({
  id: Guid,
  consumer: Type.String({ description: 'The public key: header Consumer.' }),
  secretKey: Type.String({ description: 'The private key: header SecretKey. Shown once.' }),
})

export const listKeys = operation({
  name: 'ApiKeys',
  feature: 'API keys',
  method: 'GET',
  path: '/api/ApiKeys',
  description: 'The key pairs of the account, without their secrets.',
  answers: {
    200: Type.Array(
      Type.Object({
        id: Guid,
        label: Type.String(),
        consumer: Type.String(),
        ipRestriction: IpRestriction,
        expiresDateTimeUTC: Type.Union([Timestamp, Type.Null()]),
        lastUsedDateTimeUTC: Type.Union([Timestamp, Type.Null()]),
        createDateTimeUTC: Timestamp,
      }),
    ),
  },
})

export const createKey = operation({
  name: 'ApiKeyCreate',
  feature: 'API keys',
  method: 'POST',
  path: '/api/ApiKey',
  description: 'Create a key pair. The secret is shown once.',
  changesState: true,
  audit: 'apiKey.created',
  body: KeySettings,
  answers: { 200: KeyPair },
  refuses: ['role_too_low'],
  example: { body: { label: 'nightly export', ipRestriction: ['203.0.113.0/24'] } },
})

export const updateKey = operation({
  name: 'ApiKeyUpdate',
  feature: 'API keys',
  method: 'POST',
  path: '/api/ApiKey/:id',
  description: 'Change the label, address list or expiry of a key pair.',
  changesState: true,
  audit: 'apiKey.changed',
  params: KeyId,
  body: KeySettings,
  answers: { 200: null },
  refuses: ['not_found', 'role_too_low'],
})

export const deleteKey = operation({
  name: 'DeleteApiKey',
  feature: 'API keys',
  method: 'GET',
  path: '/api/DeleteApiKey/:id',
  description: 'Revoke a key pair; it stops working within one second.',
  changesState: true,
  audit: 'apiKey.revoked',
  params: KeyId,
  answers: { 200: Type.Boolean() },
  refuses: ['not_found', 'role_too_low'],
})

export const revealKey = operation({
  name: 'RevealApiKey',
  feature: 'API keys',
  method: 'GET',
  path: '/api/RevealApiKey/:id',
  description: 'Read the secret that was generated with an activated account. Works exactly once.',
  changesState: true,
  audit: 'apiKey.revealed',
  params: KeyId,
  answers: { 200: KeyPair },
  refuses: ['not_found'],
})
