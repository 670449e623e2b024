import type { AnswerOf, Operations } from '@patchbay/contract'
import type { Application, BlockTemplate, ChainElement, WorkflowTemplate } from '../format/definition.ts'

type ApplicationItem = AnswerOf<Operations['Applications']>[number]
type FoundApplication = AnswerOf<Operations['ApplicationsSearch']>['applications'][number]
type WorkflowTemplateItem = AnswerOf<Operations['WorkflowTemplates']>[number]
type WorkflowTemplateDetails = AnswerOf<Operations['WorkflowTemplate']>
type BlockTemplateItem = AnswerOf<Operations['BlockTemplates']>[number]
type BlockTemplateDetails = AnswerOf<Operations['BlockTemplate']>

export function toApplicationItem(application: Application): ApplicationItem {
  const { id, shortName, name, tag, description, logoImage, credentialFields } = application
  return {
    id,
    shortName,
    name,
    tag,
    description,
    logoImage: logoImage?.base64 ?? null,
    credentialFields,
    credentialsJson: Object.fromEntries(credentialFields.map((field) => [field.ShortName, null])),
  }
}

export function toFoundApplication(application: Application, includeLogo: boolean): FoundApplication {
  const { id, shortName, name, tag, description, logoImage } = application
  return { id, shortName, name, tag, description, logo: includeLogo ? (logoImage?.base64 ?? null) : null }
}

export function toWorkflowTemplateItem(template: WorkflowTemplate): WorkflowTemplateItem {
  const { id, name, description, version, state, applications, variables } = template
  return { id, name, description, version, state, applications, variables }
}

export function toWorkflowTemplateDetails(
  template: WorkflowTemplate,
  blocks: ReadonlyMap<string, BlockTemplate>,
  isHosted: boolean,
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
    }
  }
  return {
    ...toWorkflowTemplateItem(template),
    variables: template.variables,
    chain: template.chain.map(toBlock),
    configuration: { isHosted },
  }
}

export function toBlockTemplateItem(template: BlockTemplate): BlockTemplateItem {
  const { id, name, description, version, state, application } = template
  return { id, name, description, version, state, applicationShortName: application ?? null }
}

export function toBlockTemplateDetails(template: BlockTemplate, isHosted: boolean): BlockTemplateDetails {
  const { script, variables, exampleResult } = template
  return {
    ...toBlockTemplateItem(template),
    script,
    variables,
    configuration: { isHosted, ...(exampleResult === undefined ? {} : { exampleResult }) },
  }
}
