import { listSizeMax } from '@patchbay/sdk'
import { useOperation } from '../api.ts'

/** Accounts that one may act for, by id; others stay ids. */
export function useAccountEmails(isNeeded = true): ReadonlyMap<string, string> {
  const accounts = useOperation(
    'ManagedAccounts',
    { body: { size: listSizeMax } },
    { staleTime: 60_000, enabled: isNeeded },
  )
  return new Map(accounts.data?.accounts.map((account) => [account.id, account.email]))
}
