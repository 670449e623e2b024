import { Type } from 'typebox'
import { Guid } from './ids.ts'
import { operation } from './operation.ts'
import { Tags } from './paging.ts'
import { Role } from './roles.ts'

export const AuthenticatedAccount = Type.Object({
  id: Guid,
  email: Type.String(),
  organizationId: Guid,
  organizationName: Type.String(),
  role: Role,
})

export const authenticate = operation({
  name: 'Authenticate',
  feature: 'Authentication',
  method: 'GET',
  path: '/api/Authenticate',
  description: 'Who is calling, and for which managed account.',
  answers: {
    200: Type.Object({ myAccount: AuthenticatedAccount, managedAccount: Type.Optional(AuthenticatedAccount) }),
  },
  example: {
    answer: {
      myAccount: {
        id: '01932f5e-7c00-7000-8000-000000000001',
        email: 'manager@example.com',
        organizationId: '01932f5e-7c00-7000-8000-000000000000',
        organizationName: 'Example',
        role: 'Manager',
      },
    },
  },
})

export const getOrganization = operation({
  name: 'Organization',
  feature: 'Authentication',
  method: 'GET',
  path: '/api/Organization',
  description: 'The organization of the account, with its tags.',
  answers: { 200: Type.Object({ id: Guid, name: Type.String(), tags: Tags }) },
})

export const listRoles = operation({
  name: 'Roles',
  feature: 'Authentication',
  method: 'GET',
  path: '/api/Roles',
  description: 'The roles, lowest rank first, with the ids that tags use.',
  answers: { 200: Type.Array(Type.Object({ id: Guid, name: Role, rank: Type.Integer(), tags: Tags })) },
})
