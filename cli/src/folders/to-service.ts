// A portable workflow as the body of WorkflowCreate or WorkflowUpdate.
import { randomUUID } from 'node:crypto'
import { type BodyOf, maskedValue, type Operations } from '@patchbay/sdk'
import { Failure } from '../failure.ts'
import { flowInput } from './flow-fields.ts'
import type { ServiceWorkflow } from './from-service.ts'
import { type Names, type NameTable, registrationOf } from './names.ts'
import { isBound, type Portable, type PortableBinding, type PortableVariable } from './portable.ts'

export type WorkflowInput = BodyOf<Operations['WorkflowCreate']>

export type Target = {
  names: Names
  env: Readonly<Record<string, string | undefined>>
  /** Ids of blocks by key; blocks that are not named are new. */
  blockIds: ReadonlyMap<string, string>
  /** What is there already; undefined for a new workflow. */
  current: ServiceWorkflow | undefined
  /** Send secrets also where the service has one. */
  withSecrets: boolean
}

export function toInput(workflow: Portable, target: Target): { body: WorkflowInput; blockIds: Map<string, string> } {
  const { names, current } = target
  const blockIds = new Map(workflow.blocks.map(({ key }) => [key, target.blockIds.get(key) ?? randomUUID()]))
  const applications = Object.fromEntries(
    Object.entries(workflow.applications).map(([shortName, label]) => [
      shortName,
      registrationOf(names, shortName, label) ?? refuseName(label, `registration of ${shortName}`, workflow),
    ]),
  )
  const body: WorkflowInput = {
    name: workflow.name,
    description: workflow.description,
    applications: { ...goneAs(current?.applications, applications, null), ...applications },
    variables: variablesOf(workflow, target),
    timeoutSeconds: workflow.timeoutSeconds ?? null,
    recordCallBodies: workflow.recordCallBodies,
    chain: chainOf(workflow, target, blockIds),
  }
  return {
    body: current ? { ...body, ...detachOf(workflow, current) } : { ...body, ...originOf(workflow, names) },
    blockIds,
  }
}

function idOf(table: NameTable, name: string, kind: string, workflow: Portable): string {
  return table.idOf(name) ?? refuseName(name, kind, workflow)
}

function refuseName(name: string, kind: string, workflow: Portable): never {
  throw new Failure(`"${workflow.name}": no ${kind} named "${name}" on the server, or more than one.`)
}

function originOf({ template, ...workflow }: Portable, names: Names): Partial<WorkflowInput> {
  if (!template) return {}
  return {
    workflowTemplateId: idOf(names.workflowTemplate, template.name, 'workflow template', { ...workflow, template }),
    ...(template.version === undefined ? {} : { templateVersion: template.version }),
    ...(template.isDetached ? { isCustomizedStructure: true } : {}),
  }
}

function detachOf(workflow: Portable, current: ServiceWorkflow): Partial<WorkflowInput> {
  return workflow.template?.isDetached && !current.isCustomizedStructure ? { unboundFromTemplate: true } : {}
}

/** What the service has and the folder does not. */
function goneAs(current: object | undefined, wanted: object, as: unknown): Record<string, unknown> {
  return Object.fromEntries(
    Object.keys(current ?? {})
      .filter((name) => !Object.hasOwn(wanted, name))
      .map((name) => [name, as]),
  )
}

function variablesOf(workflow: Portable, target: Target): Record<string, unknown> {
  const { current } = target
  const wanted = Object.fromEntries(
    Object.entries(workflow.variables).map(([name, variable]) => {
      const hasSecret = current?.variables[name]?.value === maskedValue
      const { env: _, ...told } = variable
      return [name, { ...told, value: secretOr(variable, hasSecret, target) }]
    }),
  )
  return { ...goneAs(isBound(workflow) ? {} : current?.variables, wanted, { isDeleted: true }), ...wanted }
}

function secretOr({ env, value }: PortableVariable, hasSecret: boolean, target: Target): unknown {
  if (env === undefined) return value ?? null
  if (hasSecret && !target.withSecrets) return maskedValue
  const found = target.env[env]
  if (!found)
    throw new Failure(`Set the environment variable ${env}: it holds a secret that the server does not have yet.`)
  return found
}

function chainOf(
  workflow: Portable,
  target: Target,
  blockIds: ReadonlyMap<string, string>,
): NonNullable<WorkflowInput['chain']> {
  const currentBlocks = new Map(target.current?.chain.map((block) => [block.uniqueBlockId, block]))
  const bound = isBound(workflow)
  const wanted = workflow.blocks.map((block, index) => {
    const uniqueBlockId = blockIds.get(block.key) as string
    const before = currentBlocks.get(uniqueBlockId)
    const bindings = Object.fromEntries(
      Object.entries(block.variables).map(([name, binding]) => [
        name,
        toBinding(binding, before?.variables[name]?.value === maskedValue, target),
      ]),
    )
    return {
      uniqueBlockId,
      blockName: block.name,
      script: block.script,
      variables: { ...goneAs(bound ? {} : before?.variables, bindings, { isDeleted: true }), ...bindings },
      ...flowInput(block, (key) => blockIds.get(key)),
      ...(bound
        ? {}
        : {
            no: index + 1,
            dataSources: block.dataSources.map((key) => blockIds.get(key) as string),
            applicationShortName: block.application ?? null,
            blockTemplateId:
              block.template === undefined
                ? null
                : idOf(target.names.blockTemplate, block.template, 'block template', workflow),
          }),
    }
  })
  const kept = new Set(blockIds.values())
  const gone = [...currentBlocks.keys()].filter((id) => !kept.has(id))
  return [...wanted, ...gone.map((uniqueBlockId) => ({ uniqueBlockId, isDeleted: true }))]
}

function toBinding(binding: PortableBinding, hasSecret: boolean, target: Target): Record<string, unknown> {
  const type = binding.type === undefined ? {} : { type: binding.type }
  if ('workflow' in binding) return { ...type, variableSource: 'Workflow', variableName: binding.workflow }
  return { ...type, variableSource: 'Value', value: secretOr(binding, hasSecret, target) }
}
