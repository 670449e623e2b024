import type { RoleName } from '@patchbay/contract'
import type { AccountIdentity } from './principal.ts'

/** The columns that every statement which identifies an account selects. */
export type AccountRow = {
  id: string
  email: string
  organization_id: string
  organization_name: string
  role: RoleName
  permissions: string[]
  country_key: string | null
}

export function toIdentity(row: AccountRow): AccountIdentity {
  return {
    id: row.id,
    email: row.email,
    organizationId: row.organization_id,
    organizationName: row.organization_name,
    role: row.role,
    permissions: row.permissions,
    countryKey: row.country_key,
  }
}
