import { findBindingProblem, keepMaskedValue, parseBinding } from './bindings.ts'
import { type ChainBlock, nameBlock, type VariableBinding } from './chain.ts'
import { accept, type Checked, type Problem, refuse } from './problem.ts'
import type { VariableDefinition } from './variable-values.ts'

/**
 * An element of `chain` in a request. The fields of an answer that are not named here (`isCustomized`, `status`, the
 * times of a run) are read-only and have no effect.
 */
export type ChainElementInput = {
  readonly uniqueBlockId?: string
  readonly no?: number
  readonly blockName?: string
  /** Taken for new blocks; a block keeps the template and the application it was made with. */
  readonly blockTemplateId?: string | null
  readonly applicationShortName?: string | null
  readonly script?: string
  readonly dataSources?: readonly string[]
  readonly variables?: Readonly<Record<string, unknown>>
  readonly isDeleted?: boolean
}

/** What a block template contributes to a block made from it. */
export type BlockTemplate = {
  readonly id: string
  readonly name: string
  readonly applicationShortName: string | null
  readonly script: string
  readonly variables: Readonly<Record<string, VariableDefinition & { readonly defaultValue?: unknown }>>
}

export type ElementRules = {
  /** Bound blocks keep their data sources and their set of variables. */
  readonly isBound: boolean
  readonly blockTemplates: ReadonlyMap<string, BlockTemplate>
}

/** An existing block with the changes of an element; the very same object when nothing changes. */
export function changeBlock(block: ChainBlock, element: ChainElementInput, rules: ElementRules): Checked<ChainBlock> {
  const problems: Problem[] = []
  const dataSources = element.dataSources?.map((id) => id.toLowerCase()) ?? block.dataSources
  if (rules.isBound && !sameList(dataSources, block.dataSources)) {
    problems.push({
      message: `The data sources of block ${nameBlock(block)} come from the template; they can change only with unboundFromTemplate true.`,
      blocks: [block.uniqueBlockId],
    })
  }
  const variables = mergeVariables(block, element.variables ?? {}, rules)
  if (!variables.ok) problems.push(...variables.problems)
  if (problems.length > 0 || !variables.ok) return refuse(...problems)

  const script = element.script ?? block.script
  const isBehaviourChanged = script !== block.script || variables.value !== block.variables
  const changed: ChainBlock = {
    ...block,
    blockName: element.blockName ?? block.blockName,
    script,
    dataSources,
    variables: variables.value,
    isCustomized: block.isCustomized || isBehaviourChanged,
  }
  const isSame =
    !isBehaviourChanged && changed.blockName === block.blockName && sameList(dataSources, block.dataSources)
  return accept(isSame ? block : changed)
}

/** A new block of an unbound workflow, from a block template or from a script of its own. */
export function makeBlock(uniqueBlockId: string, element: ChainElementInput, rules: ElementRules): Checked<ChainBlock> {
  const template = element.blockTemplateId ? rules.blockTemplates.get(element.blockTemplateId.toLowerCase()) : undefined
  const named = { uniqueBlockId, blockName: element.blockName ?? template?.name ?? 'New block' }
  if (element.blockTemplateId && !template) {
    const message = `Block ${nameBlock(named)} names the block template ${element.blockTemplateId}, which does not exist.`
    return refuse({ message, blocks: [uniqueBlockId] })
  }
  if (!template && element.script === undefined) {
    const message = `The new block ${nameBlock(named)} needs a blockTemplateId or a script.`
    return refuse({ message, blocks: [uniqueBlockId] })
  }
  const defaults = Object.entries(template?.variables ?? {}).map(([name, definition]): [string, VariableBinding] => [
    name,
    { variableSource: 'Value', value: definition.defaultValue ?? null },
  ])
  const block: ChainBlock = {
    ...named,
    blockTemplateId: template?.id ?? null,
    applicationShortName: template ? template.applicationShortName : (element.applicationShortName ?? null),
    script: template?.script ?? '',
    dataSources: [],
    variables: Object.fromEntries(defaults),
    isCustomized: true,
  }
  return changeBlock(block, element, rules)
}

/** The stored bindings with the given ones put over them; the very same object when nothing changes. */
function mergeVariables(
  block: ChainBlock,
  given: Readonly<Record<string, unknown>>,
  rules: ElementRules,
): Checked<ChainBlock['variables']> {
  const definitions = rules.blockTemplates.get(block.blockTemplateId ?? '')?.variables
  // A block without a template says itself which variables it has, as long as its workflow is not bound to one.
  const declaresItself = !rules.isBound && block.blockTemplateId === null
  const problems: Problem[] = []
  const changes: [string, VariableBinding][] = []
  for (const [name, input] of Object.entries(given)) {
    const stored = Object.hasOwn(block.variables, name) ? block.variables[name] : undefined
    const definition = definitions && Object.hasOwn(definitions, name) ? definitions[name] : undefined
    if (!stored && !definition && !declaresItself) {
      const message = `Variable "${name}" is not declared in block ${nameBlock(block)}.`
      problems.push({ message, blocks: [block.uniqueBlockId], variable: name })
      continue
    }
    const parsed = parseBinding(name, input)
    if (!parsed.ok) {
      problems.push(...parsed.problems.map((problem) => ({ ...problem, blocks: [block.uniqueBlockId] })))
      continue
    }
    const binding = keepMaskedValue(parsed.value, stored, definition?.type)
    const problem = findBindingProblem(block, name, binding, definition)
    if (problem) problems.push(problem)
    else if (!stored || !sameBinding(stored, binding)) changes.push([name, binding])
  }
  if (problems.length > 0) return refuse(...problems)
  if (changes.length === 0) return accept(block.variables)
  return accept(Object.fromEntries([...Object.entries(block.variables), ...changes]))
}

function sameBinding(one: VariableBinding, other: VariableBinding): boolean {
  if (one.variableSource === 'Workflow') {
    return other.variableSource === 'Workflow' && one.variableName === other.variableName
  }
  return other.variableSource === 'Value' && sameJson(one.value, other.value)
}

/** Another order of keys is another value: whoever wrote it so wants to see it so. */
function sameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function sameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index])
}
