// Password values leave the definition before it is stored and come back when it is read. Between the two they exist only sealed.
import { maskedValue } from '@patchbay/contract'
import type { ChainBlock, VariableBinding } from '../../engine/chain/chain.ts'
import type { KeyRing, Place } from '../../secrets/index.ts'
import type { Definition } from './definition.ts'

type SecretValues = { variables: Record<string, unknown>; blocks: Record<string, Record<string, unknown>> }
type RevisionKey = { workflowId: string; accountId: string; revision: number }

/** The definition without its password values, and those values sealed for this revision; null when there are none. */
export async function sealDefinition(
  keyRing: KeyRing,
  key: RevisionKey,
  definition: Definition,
): Promise<{ definition: Definition; sealedSecrets: Buffer | null }> {
  const secrets: SecretValues = { variables: Object.create(null), blocks: Object.create(null) }
  const stripped = mapPasswords(definition, {
    variable: (name, value) => {
      secrets.variables[name] = value
      return null
    },
    block: (blockId, name, value) => {
      secrets.blocks[blockId] ??= Object.create(null) as Record<string, unknown>
      ;(secrets.blocks[blockId] as Record<string, unknown>)[name] = value
      return null
    },
  })
  const hasSecrets = Object.keys(secrets.variables).length > 0 || Object.keys(secrets.blocks).length > 0
  const sealedSecrets = hasSecrets
    ? await keyRing.seal(placeOf(key), Buffer.from(JSON.stringify(secrets), 'utf8'))
    : null
  return { definition: stripped, sealedSecrets }
}

export async function openDefinition(
  keyRing: KeyRing,
  key: RevisionKey,
  stored: { definition: Definition; sealedSecrets: Buffer | null },
): Promise<Definition> {
  if (!stored.sealedSecrets) return stored.definition
  const opened = await keyRing.open(placeOf(key), stored.sealedSecrets)
  const secrets = JSON.parse(opened.toString('utf8')) as SecretValues
  return mapPasswords(
    stored.definition,
    {
      variable: (name) => ownValue(secrets.variables, name),
      block: (blockId, name) => ownValue(secrets.blocks[blockId] ?? {}, name),
    },
    true,
  )
}

/** As answers show it: every password that is set is the same row of stars. */
export function maskDefinition(definition: Definition): Definition {
  return mapPasswords(definition, { variable: () => maskedValue, block: () => maskedValue })
}

/** Can be compared with another one and is stars in JSON. */
class HiddenValue {
  readonly value: unknown

  constructor(value: unknown) {
    this.value = value
  }

  toJSON(): string {
    return maskedValue
  }
}

/** For comparing: a password that changed differs, and nobody who writes the result as JSON can show it. */
export function hideSecrets(definition: Definition): Definition {
  return mapPasswords(definition, {
    variable: (_name, value) => new HiddenValue(value),
    block: (_id, _name, value) => new HiddenValue(value),
  })
}

/** The password values themselves, for those who must keep them out of logs and results. */
export function listSecretValues(definition: Definition): string[] {
  const values: string[] = []
  const collect = (value: unknown) => {
    if (typeof value === 'string' && value !== '') values.push(value)
    return value
  }
  mapPasswords(definition, { variable: (_name, value) => collect(value), block: (_id, _name, value) => collect(value) })
  return values
}

type PasswordMap = {
  variable(name: string, value: unknown): unknown
  block(blockId: string, name: string, value: unknown): unknown
}

/** Replaces each password value that is set; with `alsoUnset` each one there could be. */
function mapPasswords(definition: Definition, map: PasswordMap, alsoUnset = false): Definition {
  const mustMap = (value: unknown) => alsoUnset || (value !== null && value !== undefined)
  return {
    ...definition,
    variables: definition.variables.map((variable) =>
      variable.type === 'password' && mustMap(variable.value)
        ? { ...variable, value: map.variable(variable.name, variable.value) }
        : variable,
    ),
    chain: definition.chain.map((block) => {
      const names = passwordNames(definition, block)
      if (names.length === 0) return block
      const variables = Object.entries(block.variables).map(([name, binding]): [string, VariableBinding] => {
        if (!names.includes(name) || binding.variableSource !== 'Value' || !mustMap(binding.value))
          return [name, binding]
        return [name, { ...binding, value: map.block(block.uniqueBlockId, name, binding.value) }]
      })
      return { ...block, variables: Object.fromEntries(variables) }
    }),
  }
}

function passwordNames(definition: Definition, block: ChainBlock): string[] {
  const known = block.blockTemplateId === null ? undefined : definition.blockVariables[block.blockTemplateId]
  return Object.entries(block.variables).flatMap(([name, { type }]) => {
    const declared = known && Object.hasOwn(known, name) ? known[name]?.type : undefined
    return (type ?? declared) === 'password' ? [name] : []
  })
}

function ownValue(values: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(values, name) ? values[name] : null
}

function placeOf(key: RevisionKey): Place {
  return {
    table: 'workflow_revisions',
    column: 'sealed_secrets',
    rowId: `${key.workflowId}/${key.revision}`,
    accountId: key.accountId,
  }
}
