// A vault belongs to a workflow or to the account; the service has an operation for each.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call, forget } from '../api.ts'
import { managedAccountId } from '../session/managed-account.ts'
import { session } from '../session/session.ts'

function accountId(): string {
  return managedAccountId() ?? (session.get()?.myAccount.id as string)
}

export async function readValue(workflowId: string | undefined, key: string): Promise<unknown> {
  return workflowId === undefined
    ? ((await call('MyVaultGetGlobal', { params: { accountId: accountId(), key } })) ?? null)
    : ((await call('MyVaultGet', { params: { workflowId, key } })) ?? null)
}

export function useSetValue(workflowId: string | undefined, onDone: () => void) {
  return useVaultChange(
    ({ key, jsonData }: { key: string; jsonData: unknown }) =>
      workflowId === undefined
        ? call('MyVaultSetGlobal', { params: { accountId: accountId(), key }, body: { jsonData } })
        : call('MyVaultSet', { params: { workflowId, key }, body: { jsonData } }),
    onDone,
  )
}

export function useRemoveValue(workflowId: string | undefined, onDone: () => void) {
  return useVaultChange(
    (key: string) =>
      workflowId === undefined
        ? call('MyVaultRemoveGlobal', { params: { accountId: accountId(), key } })
        : call('MyVaultRemove', { params: { workflowId, key } }),
    onDone,
  )
}

function useVaultChange<Given>(work: (given: Given) => Promise<unknown>, onDone: () => void) {
  const client = useQueryClient()
  return useMutation({
    meta: { isShownInPlace: true },
    mutationFn: work,
    onSuccess: async () => {
      onDone()
      await forget(client, ['VaultKeys'])
    },
  })
}
