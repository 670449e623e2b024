// A workflow as the service shows it, made portable.
import { type Answer, maskedValue } from '@patchbay/sdk'
import { flowOf } from './flow-fields.ts'
import type { Names } from './names.ts'
import { type Portable, type PortableBinding, type PortableVariable, secretName, slugOf, takeFree } from './portable.ts'

export type ServiceWorkflow = Answer<'Workflow'>
/** Keys of blocks that are known from an earlier pull or push, by uniqueBlockId. */
export type KnownKeys = ReadonlyMap<string, string>

export function keysOf(workflow: ServiceWorkflow, known: KnownKeys): Map<string, string> {
  const taken = new Set(workflow.chain.flatMap(({ uniqueBlockId }) => known.get(uniqueBlockId) ?? []))
  return new Map(
    workflow.chain.map(({ uniqueBlockId, blockName }) => [
      uniqueBlockId,
      known.get(uniqueBlockId) ?? takeFree(slugOf(blockName), taken),
    ]),
  )
}

export function toPortable(workflow: ServiceWorkflow, names: Names, known: KnownKeys = new Map()): Portable {
  const keys = keysOf(workflow, known)
  const follows = workflow.workflowTemplateId !== null && !workflow.isCustomizedStructure
  return {
    name: workflow.name,
    description: workflow.description,
    ...(workflow.workflowTemplateId === null ? {} : { template: templateOf(workflow, names) }),
    applications: Object.fromEntries(
      Object.entries(workflow.applications).map(([shortName, id]) => [shortName, labelOf(names, shortName, id)]),
    ),
    variables: Object.fromEntries(
      Object.entries(workflow.variables).map(([name, variable]) => [
        name,
        follows ? valueTold(workflow.name, name, variable) : variableOf(workflow.name, name, variable),
      ]),
    ),
    ...(workflow.timeoutSeconds === null ? {} : { timeoutSeconds: workflow.timeoutSeconds }),
    recordCallBodies: workflow.recordCallBodies,
    blocks: workflow.chain.map((block) => {
      const key = keys.get(block.uniqueBlockId) as string
      return {
        key,
        name: block.blockName,
        script: block.script,
        ...(block.blockTemplateId === null ? {} : { template: names.blockTemplate.nameOf(block.blockTemplateId) }),
        ...(block.applicationShortName === null ? {} : { application: block.applicationShortName }),
        dataSources: block.dataSources.map((id) => keys.get(id) ?? id),
        variables: Object.fromEntries(
          Object.entries(block.variables).map(([name, binding]) => [
            name,
            bindingOf(workflow.name, key, name, binding),
          ]),
        ),
        ...flowOf(block, (id) => keys.get(id)),
      }
    }),
  }
}

function templateOf(workflow: ServiceWorkflow, names: Names): NonNullable<Portable['template']> {
  return {
    name: names.workflowTemplate.nameOf(workflow.workflowTemplateId as string),
    ...(workflow.templateVersion === null ? {} : { version: workflow.templateVersion }),
    ...(workflow.isCustomizedStructure ? { isDetached: true as const } : {}),
  }
}

/** The label alone where the short name is the one it is written under. */
function labelOf(names: Names, shortName: string, id: string): string {
  const name = names.regApplication.nameOf(id)
  const prefix = `${shortName}/`
  return name.startsWith(prefix) ? name.slice(prefix.length) : name
}

type Variable = ServiceWorkflow['variables'][string]

function valueTold(workflowName: string, name: string, { value, type }: Variable): PortableVariable {
  return type === 'password' && value === maskedValue ? { env: secretName(workflowName, name) } : { value }
}

function variableOf(workflowName: string, name: string, variable: Variable): PortableVariable {
  const { type, value, required, displayName, options } = variable
  return {
    type,
    ...(type === 'password' && value === null ? {} : valueTold(workflowName, name, variable)),
    ...(required ? { required } : {}),
    ...(displayName === name ? {} : { displayName }),
    ...(options ? { options } : {}),
  }
}

type Binding = ServiceWorkflow['chain'][number]['variables'][string]

function bindingOf(workflowName: string, key: string, name: string, binding: Binding): PortableBinding {
  const type = binding.type === undefined ? {} : { type: binding.type }
  if (binding.variableSource === 'Workflow') return { ...type, workflow: binding.variableName as string }
  if (binding.value === maskedValue) return { ...type, env: secretName(workflowName, key, name) }
  return { ...type, value: binding.value ?? null }
}
