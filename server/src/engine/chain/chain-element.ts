import { flowFieldNames } from '@patchbay/contract/client-values'
import { accept, type Checked, type Problem, refuse } from '../problem.ts'
import type { VariableDefinition } from '../variables/variable-values.ts'
import { mergeVariables } from './block-variables.ts'
import { type ChainBlock, nameBlock, type VariableBinding } from './chain.ts'
import type { BlockTemplate, ElementRules } from './element-rules.ts'
import { changeFlow, type FlowInput } from './flow-fields.ts'

/**
 * An element of `chain` in a request. The fields of an answer that are not named here (`isCustomized`, `status`, the
 * times of a run) are read-only and have no effect.
 */
export type ChainElementInput = FlowInput & {
  readonly uniqueBlockId?: string
  readonly no?: number
  readonly blockName?: string
  /** Of a block that exists, these two change only in an unbound workflow. */
  readonly blockTemplateId?: string | null
  readonly applicationShortName?: string | null
  readonly script?: string
  readonly dataSources?: readonly string[]
  readonly variables?: Readonly<Record<string, unknown>>
  readonly isDeleted?: boolean
}

/** An existing block with the changes of an element; the very same object when nothing changes. */
export function changeBlock(block: ChainBlock, element: ChainElementInput, rules: ElementRules): Checked<ChainBlock> {
  const problems: Problem[] = []
  const dataSources = element.dataSources ?? block.dataSources
  if (rules.isBound && !sameList(dataSources, block.dataSources)) {
    problems.push({
      message: `The data sources of block ${nameBlock(block)} come from the template. To change them, set unboundFromTemplate to true.`,
    })
  }
  const based = changeOrigin(block, element, rules)
  if (!based.ok) return refuse(...problems, ...based.problems)
  const origin = based.value
  const variables = mergeVariables(origin, element.variables ?? {}, rules)
  if (!variables.ok) problems.push(...variables.problems)
  const flow = changeFlow(block, element, rules.isBound)
  if (!flow.ok) problems.push(...flow.problems)
  if (problems.length > 0 || !variables.ok || !flow.ok) return refuse(...problems)

  const script = element.script ?? origin.script
  const isBehaviourChanged =
    origin !== block || script !== block.script || variables.value !== block.variables || flow.value.isChanged
  const changed: ChainBlock = {
    ...withoutFlow(origin),
    ...flow.value.fields,
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
  const template = element.blockTemplateId ? rules.blockTemplates.get(element.blockTemplateId) : undefined
  const named = { uniqueBlockId, blockName: element.blockName ?? template?.name ?? 'New block' }
  if (element.blockTemplateId && !template) {
    const message = `Block ${nameBlock(named)} names the block template ${element.blockTemplateId}, which does not exist.`
    return refuse({ message })
  }
  // A block that waits or runs another workflow needs no script.
  if (!template && element.script === undefined && !element.wait && !element.subWorkflow) {
    const message = `The new block ${nameBlock(named)} needs a blockTemplateId or a script.`
    return refuse({ message })
  }
  const block: ChainBlock = {
    ...named,
    blockTemplateId: template?.id ?? null,
    applicationShortName: template?.applicationShortName ?? null,
    script: template?.script ?? '',
    dataSources: [],
    variables: defaultsOf(template),
    isCustomized: true,
  }
  const { blockTemplateId: _template, ...rest } = element
  return changeBlock(block, rest, rules)
}

function withoutFlow(block: ChainBlock): ChainBlock {
  const plain: Record<string, unknown> = { ...block }
  for (const name of flowFieldNames) delete plain[name]
  return plain as ChainBlock
}

function sameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index])
}

/** The block with the template and the application that the element names; the very same object when they are its own. */
function changeOrigin(block: ChainBlock, element: ChainElementInput, rules: ElementRules): Checked<ChainBlock> {
  const wanted = element.blockTemplateId === undefined ? block.blockTemplateId : element.blockTemplateId
  const templateId = wanted ?? null
  const applicationGiven = element.applicationShortName
  const isSameApplication =
    applicationGiven === undefined || applicationGiven?.toUpperCase() === block.applicationShortName?.toUpperCase()
  if (rules.isBound && (templateId !== block.blockTemplateId || !isSameApplication)) {
    const field = isSameApplication ? 'blockTemplateId' : 'applicationShortName'
    return refuse({
      message: `The ${field} of block ${nameBlock(block)} comes from the template. To change it, set unboundFromTemplate to true.`,
    })
  }
  const based = templateId === block.blockTemplateId ? accept(block) : changeTemplate(block, templateId, rules)
  if (!based.ok || applicationGiven === undefined) return based
  const applicationShortName = applicationGiven
  if (applicationShortName?.toUpperCase() === based.value.applicationShortName?.toUpperCase()) return based
  return accept({ ...based.value, applicationShortName })
}

function changeTemplate(block: ChainBlock, templateId: string | null, rules: ElementRules): Checked<ChainBlock> {
  const old = rules.blockTemplates.get(block.blockTemplateId ?? '')?.variables ?? {}
  // Without a template the block says itself of which types its variables are: a password stays one.
  if (templateId === null)
    return accept({ ...block, blockTemplateId: null, variables: withTypes(block.variables, old) })
  const template = rules.blockTemplates.get(templateId)
  if (!template) {
    const message = `Block ${nameBlock(block)} names the block template ${templateId}, which does not exist.`
    return refuse({ message })
  }
  const kept = Object.entries(withTypes(block.variables, old)).filter(([name, binding]) => {
    if (!Object.hasOwn(template.variables, name)) return !Object.hasOwn(old, name)
    const { type } = template.variables[name]!
    return binding.type === undefined || binding.type === type
  })
  return accept({
    ...block,
    blockTemplateId: template.id,
    applicationShortName: template.applicationShortName,
    script: template.script,
    variables: { ...defaultsOf(template), ...Object.fromEntries(kept) },
  })
}

function withTypes(
  variables: ChainBlock['variables'],
  definitions: Readonly<Record<string, VariableDefinition>>,
): ChainBlock['variables'] {
  return Object.fromEntries(
    Object.entries(variables).map(([name, binding]): [string, VariableBinding] => {
      const type = binding.type ?? (Object.hasOwn(definitions, name) ? definitions[name]?.type : undefined)
      return [name, type === undefined ? binding : { ...binding, type }]
    }),
  )
}

function defaultsOf(template: BlockTemplate | undefined): ChainBlock['variables'] {
  const defaults = Object.entries(template?.variables ?? {}).map(([name, definition]): [string, VariableBinding] => [
    name,
    { variableSource: 'Value', value: definition.defaultValue ?? null },
  ])
  return Object.fromEntries(defaults)
}
