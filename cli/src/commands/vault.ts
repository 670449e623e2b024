import type { Context } from '../context.ts'
import { Failure, wrongUse } from '../failure.ts'
import { findWorkflow } from '../session/find-workflow.ts'
import { table } from '../terminal.ts'
import { readInput } from './read-input.ts'

type Options = { workflow?: string }

/** The account's vault unless a workflow is named. */
async function openVault(context: Context, options: Options) {
  const { client, accountId } = await context.connect()
  if (options.workflow === undefined) {
    return {
      client,
      get: (key: string) => client.myVaultGetGlobal({ params: { accountId, key } }),
      has: (key: string) => client.myVaultContainsGlobal({ params: { accountId, key } }),
      set: (key: string, jsonData: unknown) =>
        client.myVaultSetGlobal({ params: { accountId, key }, body: { jsonData } }),
      remove: (key: string) => client.myVaultRemoveGlobal({ params: { accountId, key } }),
      place: {},
    }
  }
  const { id: workflowId } = await findWorkflow(client, options.workflow)
  return {
    client,
    get: (key: string) => client.myVaultGet({ params: { workflowId, key } }),
    has: (key: string) => client.myVaultContains({ params: { workflowId, key } }),
    set: (key: string, jsonData: unknown) => client.myVaultSet({ params: { workflowId, key }, body: { jsonData } }),
    remove: (key: string) => client.myVaultRemove({ params: { workflowId, key } }),
    place: { workflowId },
  }
}

export async function vaultGet(context: Context, options: Options, key: string): Promise<undefined> {
  const vault = await openVault(context, options)
  const value = await vault.get(key)
  if (value === null && !(await vault.has(key))) throw new Failure(`The vault has no value "${key}".`)
  context.terminal.result(value, () => (typeof value === 'string' ? value : JSON.stringify(value, null, 2)))
}

export async function vaultSet(
  context: Context,
  options: Options & { text?: boolean },
  key: string,
): Promise<undefined> {
  const input = await readInput()
  const value = options.text ? input.replace(/\r?\n$/, '') : parseJson(input)
  await (await openVault(context, options)).set(key, value)
  context.terminal.result({ key, stored: true }, () => `Stored "${key}".`)
}

/** The value is not repeated in the message: it may be a secret. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw wrongUse('Standard input is not JSON. Add --text to store it as text.')
  }
}

export async function vaultRemove(context: Context, options: Options, key: string): Promise<undefined> {
  const isRemoved = await (await openVault(context, options)).remove(key)
  if (!isRemoved) throw new Failure(`The vault has no value "${key}".`)
  context.terminal.result({ key, removed: true }, () => `Deleted "${key}".`)
}

export async function vaultList(context: Context, options: Options): Promise<undefined> {
  const { client, place } = await openVault(context, options)
  const found = await Array.fromAsync(client.each('VaultKeys', { body: place }))
  context.terminal.result(
    found,
    () =>
      table(found.map(({ key, sizeBytes, modifyDateTimeUTC }) => [key, `${sizeBytes} bytes`, modifyDateTimeUTC])) ||
      'The vault is empty.',
  )
}
