// The definition that a request to create starts from: a template's, or an empty one.
import type { WorkflowTemplate } from '../../catalog/index.ts'
import type { ChainBlock, VariableBinding } from '../../engine/chain/chain.ts'
import type { BlockTemplate } from '../../engine/chain/element-rules.ts'
import { flowOf } from '../../engine/chain/flow-fields.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Definition } from '../definition/definition.ts'
import { keepBlockVariables, toVariableDefinition } from './block-templates.ts'

export function emptyDefinition(name: string): Definition {
  return {
    name,
    description: '',
    isCustomizedStructure: true,
    applications: {},
    templateApplications: [],
    variables: [],
    chain: [],
    blockVariables: {},
    timeoutSeconds: null,
  }
}

/** Blocks keep the ids they have in the template, so that a request can name them. */
export function definitionOf(
  template: WorkflowTemplate,
  blockTemplates: ReadonlyMap<string, BlockTemplate>,
): Definition {
  const chain = template.chain.map((element) => makeTemplateBlock(element, blockTemplates))
  return {
    name: template.name,
    description: template.description,
    isCustomizedStructure: false,
    applications: {},
    templateApplications: template.applications,
    variables: template.variables.map((variable) => ({
      name: variable.shortName,
      ...toVariableDefinition(variable),
      value: variable.default ?? null,
    })),
    chain,
    blockVariables: keepBlockVariables(chain, blockTemplates),
    timeoutSeconds: null,
  }
}

function makeTemplateBlock(
  element: WorkflowTemplate['chain'][number],
  blockTemplates: ReadonlyMap<string, BlockTemplate>,
): ChainBlock {
  const template = element.blockTemplateId === undefined ? undefined : blockTemplates.get(element.blockTemplateId)
  if (element.blockTemplateId !== undefined && !template) {
    throw new AppError(
      'workflow_invalid',
      `The workflow template cannot be used: its block "${element.blockName}" names the block template ${element.blockTemplateId}, which does not exist.`,
    )
  }
  const defaults = Object.entries(template?.variables ?? {}).map(
    ([name, { defaultValue }]): [string, VariableBinding] => [
      name,
      { variableSource: 'Value', value: defaultValue ?? null },
    ],
  )
  return {
    uniqueBlockId: element.uniqueBlockId,
    blockName: element.blockName,
    blockTemplateId: template?.id ?? null,
    applicationShortName: template?.applicationShortName ?? null,
    script: element.script ?? template?.script ?? '',
    dataSources: element.dataSources ?? [],
    variables: { ...Object.fromEntries(defaults), ...element.variables } as ChainBlock['variables'],
    ...flowOf(element),
    isCustomized: false,
  }
}
