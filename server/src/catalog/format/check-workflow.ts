import type { ChainBlock } from '../../engine/chain/chain.ts'
import { listExpressions, scriptsToCheck } from '../../engine/chain/expressions.ts'
import { flowOf } from '../../engine/chain/flow-fields.ts'
import { findFlowProblems } from '../../engine/chain/flow-problems.ts'
import { findUnbuilt } from '../../engine/chain/unbuilt.ts'
import type { Finding } from './check-application.ts'
import { findCycle } from './check-graph.ts'
import { findScriptMistake } from './check-script.ts'
import { fitsVariable } from './check-variables.ts'
import type { BlockTemplate, ChainElement, WorkflowTemplateFile } from './definition.ts'

/** `scriptLine` is the line within an element's own script, for a place that the file's structure cannot name. */
export type ChainFinding = Finding & { scriptLine?: number }

export function checkChain(
  workflow: WorkflowTemplateFile,
  findBlock: (id: string) => BlockTemplate | undefined,
): ChainFinding[] {
  const found: ChainFinding[] = []
  const ids = new Set(workflow.chain.map((element) => element.uniqueBlockId))
  const seen = new Set<string>()
  for (const [index, element] of workflow.chain.entries()) {
    const path = ['chain', index]
    const named = `the block "${element.blockName}"`
    if (seen.has(element.uniqueBlockId)) {
      found.push({ path: [...path, 'uniqueBlockId'], message: `The uniqueBlockId of ${named} is used twice.` })
    }
    seen.add(element.uniqueBlockId)
    for (const [at, source] of (element.dataSources ?? []).entries()) {
      if (!ids.has(source)) {
        found.push({ path: [...path, 'dataSources', at], message: `A data source of ${named} is not in the chain.` })
      }
    }
    found.push(...checkSource(workflow, element, path, findBlock), ...checkBindings(workflow, element, path, findBlock))
  }
  const cycle = findCycle(workflow.chain)
  if (cycle)
    found.push({ path: ['chain'], message: `The blocks ${cycle.join(' → ')} depend on each other in a cycle.` })
  return [...found, ...checkFlow(workflow)]
}

function checkFlow({ chain }: WorkflowTemplateFile): ChainFinding[] {
  const blocks = chain.map(toBlock)
  const rules = [...findFlowProblems(blocks), ...findUnbuilt(blocks)].map(({ message }) => ({
    path: ['chain'],
    message,
  }))
  const foreign = chain.flatMap(({ subWorkflow, blockName }, index): ChainFinding[] => {
    if (subWorkflow?.workflowId === undefined) return []
    const message = `The subWorkflow of the block "${blockName}" needs a workflowTemplateId: a workflow belongs to one account.`
    return [{ path: ['chain', index, 'subWorkflow'], message }]
  })
  const expressions = blocks.flatMap((block, index) =>
    listExpressions(block).flatMap(({ field, source }): ChainFinding[] => {
      const mistake = scriptsToCheck(source)
        .map((script) => findScriptMistake(script))
        .find((found) => found !== null)
      if (!mistake) return []
      const message = `The ${field} of the block "${block.blockName}" does not compile: ${mistake.message}.`
      return [{ path: ['chain', index, ...field.split('.')], message }]
    }),
  )
  return [...rules, ...foreign, ...expressions]
}

/** As much of it as the rules for these fields look at. */
function toBlock(element: ChainElement): ChainBlock {
  return {
    uniqueBlockId: element.uniqueBlockId,
    blockName: element.blockName,
    blockTemplateId: element.blockTemplateId ?? null,
    applicationShortName: null,
    script: element.script ?? '',
    dataSources: element.dataSources ?? [],
    variables: {},
    isCustomized: false,
    ...flowOf(element),
  }
}

function checkSource(
  workflow: WorkflowTemplateFile,
  element: ChainElement,
  path: (string | number)[],
  findBlock: (id: string) => BlockTemplate | undefined,
): ChainFinding[] {
  const hasNeither = element.blockTemplateId === undefined && element.script === undefined
  // A block that waits or runs another workflow needs no script.
  if (hasNeither && (element.wait || element.subWorkflow)) return []
  if ((element.blockTemplateId === undefined) === (element.script === undefined)) {
    return [{ path, message: `The block "${element.blockName}" needs either "blockTemplateId" or "script".` }]
  }
  if (element.script !== undefined) {
    const mistake = findScriptMistake(element.script)
    if (!mistake) return []
    return [
      {
        path: [...path, 'script'],
        message: `The script does not compile: ${mistake.message}.`,
        scriptLine: mistake.line,
      },
    ]
  }
  const block = findBlock(element.blockTemplateId ?? '')
  if (!block) {
    return [
      {
        path: [...path, 'blockTemplateId'],
        message: `The block template of "${element.blockName}" is unknown or broken.`,
      },
    ]
  }
  const needed = block.application?.toLowerCase()
  if (needed === undefined || workflow.applications.some((shortName) => shortName.toLowerCase() === needed)) return []
  return [
    {
      path,
      message: `"${element.blockName}" needs the application ${block.application}, which is missing from "applications".`,
    },
  ]
}

function checkBindings(
  workflow: WorkflowTemplateFile,
  element: ChainElement,
  path: (string | number)[],
  findBlock: (id: string) => BlockTemplate | undefined,
): ChainFinding[] {
  const found: ChainFinding[] = []
  const block = element.blockTemplateId === undefined ? undefined : findBlock(element.blockTemplateId)
  const bindings = Object.entries(element.variables ?? {})
  for (const [name, binding] of bindings) {
    const place = [...path, 'variables', name]
    const variable = block?.variables.find((candidate) => candidate.shortName === name)
    if (block && !variable) found.push({ path: place, message: `"${block.name}" declares no variable "${name}".` })
    if (binding.variableSource === 'Workflow') {
      if (!workflow.variables.some((candidate) => candidate.shortName === binding.variableName)) {
        found.push({ path: place, message: `"${name}" is bound to "${binding.variableName}", which is not declared.` })
      }
    } else if (variable && !fitsVariable(variable, binding.value)) {
      found.push({ path: place, message: `The value of "${name}" is not of type ${variable.type}.` })
    }
  }
  for (const variable of block?.variables ?? []) {
    if (!variable.required || variable.default !== undefined) continue
    if (bindings.some(([name]) => name === variable.shortName)) continue
    found.push({ path, message: `"${element.blockName}" does not bind the required variable "${variable.shortName}".` })
  }
  return found
}
