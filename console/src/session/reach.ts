import { useStore } from '../ui/store.ts'
import { useManagedAccountId } from './managed-account.ts'
import { session } from './session.ts'

/** Whoever manages other accounts sees all of them at once, until one is chosen. */
export function useReachesOthers(): boolean {
  const role = useStore(session)?.myAccount.role
  return useManagedAccountId() === undefined && role !== undefined && role !== 'User'
}
