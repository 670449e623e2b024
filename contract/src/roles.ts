import { Type } from 'typebox'

// The one table of roles. Ids are fixed so that tags on roles mean the same in every installation.
export const roles = [
  { id: '0b9f0000-0000-4000-8000-000000000001', name: 'User', rank: 0 },
  { id: '0b9f0000-0000-4000-8000-000000000002', name: 'DevPartner', rank: 1 },
  { id: '0b9f0000-0000-4000-8000-000000000003', name: 'SuperPartner', rank: 2 },
  { id: '0b9f0000-0000-4000-8000-000000000004', name: 'Manager', rank: 3 },
] as const

export type RoleName = (typeof roles)[number]['name']

export const roleNames: readonly RoleName[] = roles.map((role) => role.name)

export function rankOf(role: RoleName): number {
  return roleNames.indexOf(role)
}

export const Role = Type.Enum([...roleNames], { description: 'User, DevPartner, SuperPartner or Manager.' })
