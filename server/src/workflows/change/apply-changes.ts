// A request becomes a new definition, or every reason why it cannot. Nothing is stored here.
import { blocksMax } from '@patchbay/contract'
import type { ChainElementInput } from '../../engine/chain/chain-element.ts'
import { decideBinding, makeChain, patchChain } from '../../engine/chain/chain-patch.ts'
import { findTemplateCalls } from '../../engine/chain/flow-problems.ts'
import { findUnbuilt } from '../../engine/chain/unbuilt.ts'
import type { Problem } from '../../engine/problem.ts'
import { declareVariables, setVariables, type WorkflowVariables } from '../../engine/variables/workflow-variables.ts'
import { newId } from '../../lib/id.ts'
import type { Definition } from '../definition/definition.ts'
import { collect, refuseFor } from '../definition/refuse.ts'
import type { CheckScript, WorkflowCatalog } from '../ports.ts'
import { keepBlockVariables, templatesForChange } from '../template/block-templates.ts'
import { applySettings, type SettingsInput, withoutSettings } from './apply-settings.ts'
import { type CheckedScripts, checkExpressions, checkScripts } from './check-scripts.ts'
import { mapApplications, spellApplications } from './map-applications.ts'

/** What a request may change; its read-only fields are not looked at. */
export type WorkflowInput = SettingsInput & {
  name?: string
  description?: string
  applications?: Record<string, unknown>
  variables?: Record<string, unknown>
  unboundFromTemplate?: boolean
  /** True counts as `unboundFromTemplate`, so that an answer can be posted back. */
  isCustomizedStructure?: boolean
  chain?: ChainElementInput[]
}

type Deps = { catalog: WorkflowCatalog; checkScript: CheckScript }

type Change = {
  current: Definition
  input: WorkflowInput
  /** A custom workflow that is just being made: its request declares what later ones can only set. */
  isNew?: boolean
  checked?: CheckedScripts
}

export async function applyChanges(
  deps: Deps,
  organizationId: string,
  { current, input, isNew = false, checked = new Set() }: Change,
): Promise<Definition> {
  const problems: Problem[] = []
  const isBound = isNew
    ? false
    : (collect(problems, decideBinding(!current.isCustomizedStructure, unboundBy(input))) ?? false)
  const elements = input.chain ?? []
  const findApplication = (shortName: string) => deps.catalog.findApplication(organizationId, shortName)
  const [applications, spelled, blockTemplates] = await Promise.all([
    mapApplications(findApplication, current.applications, input.applications ?? {}, problems),
    spellApplications(findApplication, applicationsOf(current), elements, problems),
    templatesForChange(deps.catalog, organizationId, current, elements),
  ])

  const declared: WorkflowVariables = new Map(current.variables.map(({ name, ...variable }) => [name, variable]))
  const given = input.variables ?? {}
  const read = collect(problems, isNew ? declareVariables(given) : setVariables(declared, given, isBound))
  const variables = read ?? declared

  // What is wrong with a variable has been said; blocks that are bound to it are not wrong as well.
  const workflowVariables = read ?? { has: (name: string) => declared.has(name) || Object.hasOwn(given, name) }
  const context = { isBound, workflowVariables, blockTemplates, newBlockId: newId }
  const patched = isNew ? makeChain(spelled, context) : patchChain(current.chain, spelled, context)
  const chain = collect(problems, patched) ?? []
  if (chain.length > blocksMax) problems.push({ message: `A workflow has at most ${blocksMax} blocks.` })
  problems.push(...findTemplateCalls(chain))
  // A chain that was refused says nothing about which blocks there are.
  const settings = applySettings(current, input, patched.ok ? chain : undefined, problems)
  refuseFor('workflow_invalid', problems)

  const trusted = [...current.chain, ...blockTemplates.values()].map(({ script }) => script)
  const found = await Promise.all([
    checkScripts(deps.checkScript, chain, new Set(trusted), checked),
    checkExpressions(deps.checkScript, chain, current.chain),
  ])
  refuseFor('workflow_invalid', [...findUnbuilt(chain), ...found.flat()])
  return {
    ...withoutSettings(current),
    name: input.name ?? current.name,
    description: input.description ?? current.description,
    isCustomizedStructure: !isBound,
    applications,
    variables: [...variables].map(([name, variable]) => ({ name, ...variable })),
    chain,
    blockVariables: keepBlockVariables(chain, blockTemplates),
    ...settings,
  }
}

/** Undefined when the request says nothing about it. */
function unboundBy({ unboundFromTemplate, isCustomizedStructure }: WorkflowInput): boolean | undefined {
  return isCustomizedStructure === true ? true : (unboundFromTemplate ?? isCustomizedStructure)
}

function applicationsOf(definition: Definition): Map<string, string | null> {
  return new Map(definition.chain.map((block) => [block.uniqueBlockId, block.applicationShortName]))
}
