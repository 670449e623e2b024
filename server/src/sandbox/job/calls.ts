import { isObject, type Json } from '../../lib/json.ts'

type VaultScope = 'workflow' | 'global'

export type ScriptCall =
  | { kind: 'api.get'; url: string }
  | { kind: 'api.post'; url: string; data: Json }
  | { kind: 'api.send'; shortName: string; request: { [name: string]: Json }; newVersion: boolean }
  | { kind: 'vault.get' | 'vault.remove' | 'vault.contains'; scope: VaultScope; key: string }
  | { kind: 'vault.set'; scope: VaultScope; key: string; value: Json }
  | { kind: 'email.send'; message: { [name: string]: Json } }
  | { kind: 'respond'; answer: { [name: string]: Json } }
  | { kind: 'event'; name: string; key: string | null; data: Json }

/** A refusal that the script may see and catch. `details` become properties of the error inside the script. */
export class ScriptCallError extends Error {
  readonly details: { [name: string]: Json }

  constructor(message: string, details: { [name: string]: Json } = {}) {
    super(message)
    this.name = 'ScriptCallError'
    this.details = details
  }
}

const vaultNames = new Map<
  string,
  { kind: 'vault.get' | 'vault.remove' | 'vault.contains' | 'vault.set'; scope: VaultScope }
>([
  ['myVault.get', { kind: 'vault.get', scope: 'workflow' }],
  ['myVault.set', { kind: 'vault.set', scope: 'workflow' }],
  ['myVault.remove', { kind: 'vault.remove', scope: 'workflow' }],
  ['myVault.contains', { kind: 'vault.contains', scope: 'workflow' }],
  ['myVault.getGlobal', { kind: 'vault.get', scope: 'global' }],
  ['myVault.setGlobal', { kind: 'vault.set', scope: 'global' }],
  ['myVault.removeGlobal', { kind: 'vault.remove', scope: 'global' }],
  ['myVault.containsGlobal', { kind: 'vault.contains', scope: 'global' }],
])

/** Turns a name and untrusted arguments into a call, or throws the refusal the script shall see. */
export function parseCall(name: string, args: readonly Json[]): ScriptCall {
  const vault = vaultNames.get(name)
  if (vault) {
    const key = requireText(name, 'a key', args[0])
    if (vault.kind !== 'vault.set') return { kind: vault.kind, scope: vault.scope, key }
    return { kind: vault.kind, scope: vault.scope, key, value: args[1] ?? null }
  }
  switch (name) {
    case 'api.get':
      return { kind: name, url: requireText(name, 'an address', args[0]) }
    case 'api.post':
      return { kind: name, url: requireText(name, 'an address', args[0]), data: args[1] ?? null }
    case 'api.send':
      return {
        kind: name,
        shortName: requireText(name, 'a short name', args[0]),
        request: requireObject(name, 'a request', args[1]),
        newVersion: args[2] === true,
      }
    case 'email.send':
      return { kind: name, message: requireObject(name, 'a message', args[0]) }
    case 'events.send':
      return { kind: 'event', name: requireEventText('a name', args[0]), key: readKey(args[1]), data: args[2] ?? null }
    case 'fx.respond':
      return { kind: 'respond', answer: requireObject(name, 'a response', args[0]) }
    default:
      throw new ScriptCallError('The script made a call that does not exist.')
  }
}

export function capabilityOf(call: ScriptCall): 'api' | 'vault' | 'email' | 'answer' | 'events' {
  if (call.kind === 'email.send') return 'email'
  if (call.kind === 'respond') return 'answer'
  if (call.kind === 'event') return 'events'
  return call.kind.startsWith('vault.') ? 'vault' : 'api'
}

function requireText(name: string, what: string, value: Json | undefined): string {
  if (typeof value === 'string' && value !== '' && value.length <= 8192) return value
  throw new ScriptCallError(`${name} needs ${what}: a string of 1 to 8192 characters.`)
}

function requireEventText(what: string, value: Json | undefined): string {
  if (typeof value === 'string' && value !== '' && value.length <= 200) return value
  throw new ScriptCallError(`events.send needs ${what}: a string of 1 to 200 characters.`)
}

function readKey(value: Json | undefined): string | null {
  if (value === undefined || value === null) return null
  return requireEventText('a key', typeof value === 'number' ? String(value) : value)
}

function requireObject(name: string, what: string, value: Json | undefined): { [name: string]: Json } {
  if (isObject(value)) return value
  throw new ScriptCallError(`${name} needs ${what}: an object.`)
}
