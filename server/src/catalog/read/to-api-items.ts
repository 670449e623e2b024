import type { AnswerOf, Operations } from '@patchbay/contract'
import { toFlowAnswer } from '../../engine/chain/flow-fields.ts'
import type { Application, BlockTemplate, ChainElement, WorkflowTemplate } from '../format/definition.ts'
import { fieldsByChoice } from './fields-by-choice.ts'

type ApplicationItem = AnswerOf<Operations['Applications']>[number]
type FoundApplication = AnswerOf<Operations['ApplicationsSearch']>['applications'][number]
type WorkflowTemplateItem = AnswerOf<Operations['WorkflowTemplates']>[number]
type WorkflowTemplateDetails = AnswerOf<Operations['WorkflowTemplate']>
type BlockTemplateItem = AnswerOf<Operations['BlockTemplates']>[number]
type BlockTemplateDetails = AnswerOf<Operations['BlockTemplate']>

/** What an organization knows of a template beyond its definition. */
type Kept = { isHosted: boolean; tags: string[] }

export function toApplicationItem(application: Application, tags: string[]): ApplicationItem {
  const { id, shortName, name, tag, description, logoImage, credentialFields } = application
  return {
    id,
    shortName,
    name,
    tag,
    description,
    tags,
    logoImage: logoImage?.base64 ?? null,
    credentialFields: fieldsByChoice(application),
    credentialsJson: Object.fromEntries(credentialFields.map((field) => [field.ShortName, null])),
  }
}

export function toFoundApplication(application: Application, includeLogo: boolean, tags: string[]): FoundApplication {
  const { id, shortName, name, tag, description, logoImage } = application
  return { id, shortName, name, tag, description, tags, logo: includeLogo ? (logoImage?.base64 ?? null) : null }
}

export function toWorkflowTemplateItem(template: WorkflowTemplate, tags: string[]): WorkflowTemplateItem {
  const { id, name, description, version, state, applications, variables } = template
  return { id, name, description, version, state, applications, tags, variables }
}

export function toWorkflowTemplateDetails(
  template: WorkflowTemplate,
  blocks: ReadonlyMap<string, BlockTemplate>,
  { isHosted, tags }: Kept,
): WorkflowTemplateDetails {
  const toBlock = (element: ChainElement, index: number) => {
    const block = blocks.get(element.blockTemplateId ?? '')
    return {
      no: index + 1,
      uniqueBlockId: element.uniqueBlockId,
      blockName: element.blockName,
      blockTemplateId: element.blockTemplateId ?? null,
      blockTemplateVersion: block?.version ?? null,
      applicationShortName: block?.application ?? null,
      script: element.script ?? block?.script ?? '',
      dataSources: element.dataSources ?? [],
      variables: element.variables ?? {},
      ...toFlowAnswer(element),
    }
  }
  return {
    ...toWorkflowTemplateItem(template, tags),
    variables: template.variables,
    chain: template.chain.map(toBlock),
    configuration: { isHosted },
  }
}

export function toBlockTemplateItem(template: BlockTemplate, tags: string[]): BlockTemplateItem {
  const { id, name, description, version, state, application } = template
  return { id, name, description, version, state, applicationShortName: application ?? null, tags }
}

export function toBlockTemplateDetails(template: BlockTemplate, { isHosted, tags }: Kept): BlockTemplateDetails {
  const { script, variables, exampleResult } = template
  return {
    ...toBlockTemplateItem(template, tags),
    script,
    variables,
    configuration: { isHosted, ...(exampleResult === undefined ? {} : { exampleResult }) },
  }
}
