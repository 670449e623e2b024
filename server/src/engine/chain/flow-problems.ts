// What the fields of a block must not say, alone or beside those of other blocks.
import type { Problem } from '../problem.ts'
import { type ChainBlock, nameBlock } from './chain.ts'
import type { ApprovalRequest, ForEach, SubWorkflow, Wait } from './flow-fields.ts'

export function findFlowProblems(chain: readonly ChainBlock[]): Problem[] {
  const blocks = new Map(chain.map((block) => [block.uniqueBlockId, block]))
  return chain.flatMap((block) => [
    ...findNeedsProblem(block),
    ...(block.forEach ? findItemsProblems(block, block.forEach, blocks) : []),
    ...(block.wait ? findWaitProblems(block, block.wait) : []),
    ...(block.subWorkflow ? findSubWorkflowProblems(block, block.subWorkflow) : []),
    ...findTogetherProblems(block),
  ])
}

function findNeedsProblem(block: ChainBlock): Problem[] {
  if (block.dataSources.length > 0 || (block.needs !== 'any' && block.needs !== 'failed')) return []
  return [{ message: `Block ${nameBlock(block)} has needs "${block.needs}" but no data source.` }]
}

function findItemsProblems(block: ChainBlock, forEach: ForEach, blocks: ReadonlyMap<string, ChainBlock>): Problem[] {
  const named = `The forEach of block ${nameBlock(block)}`
  if (forEach.sameItemsAs !== undefined) {
    const { sameItemsAs, concurrency: _concurrency, ...others } = forEach
    const [other] = Object.keys(others)
    if (other !== undefined) return [{ message: `${named} has sameItemsAs, so it cannot have ${other} as well.` }]
    if (!block.dataSources.includes(sameItemsAs))
      return [{ message: `${named} names ${sameItemsAs} in sameItemsAs, which is not one of its data sources.` }]
    if (!blocks.get(sameItemsAs)?.forEach)
      return [{ message: `${named} names ${sameItemsAs} in sameItemsAs, which is a block without forEach.` }]
    if (block.needs === 'any' || block.needs === 'failed')
      return [{ message: `${named} has sameItemsAs, so its needs must be "all".` }]
    return []
  }
  if (typeof forEach.maxFailures !== 'string' || isFailureText(forEach.maxFailures)) return []
  return [{ message: `${named} has a maxFailures that is not a number, a text like "10%", or "all".` }]
}

function isFailureText(text: string): boolean {
  const [, percent] = /^(\d{1,3})%$/.exec(text) ?? []
  return text === 'all' || (percent !== undefined && Number(percent) <= 100)
}

function findWaitProblems(block: ChainBlock, wait: Wait): Problem[] {
  const named = `The wait of block ${nameBlock(block)}`
  const kinds = (['seconds', 'until', 'events', 'approval'] as const).filter((kind) => wait[kind] !== undefined)
  if (kinds.length !== 1) return [{ message: `${named} needs exactly one of seconds, until, events and approval.` }]
  const [kind] = kinds
  if (wait.key !== undefined && kind !== 'events') return [{ message: `${named} has a key, which only events have.` }]
  if ((wait.timeoutHours !== undefined || wait.onTimeout !== undefined) && kind !== 'events' && kind !== 'approval')
    return [{ message: `${named} has a timeout, which only events and approval have.` }]
  return wait.approval ? findApprovalProblems(named, wait.approval) : []
}

/** What a form can ask for. */
const formTypes = ['text', 'number', 'boolean', 'date']

function findApprovalProblems(named: string, { form = [] }: ApprovalRequest): Problem[] {
  const names = form.map(({ shortName }) => shortName)
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  return [
    ...(repeated === undefined ? [] : [{ message: `${named} has two form fields with the shortName ${repeated}.` }]),
    ...form
      .filter(({ type }) => !formTypes.includes(type.toLowerCase()))
      .map(({ shortName, type }) => ({
        message: `${named} has a form field ${shortName} of the type "${type}". Use one of: ${formTypes.join(', ')}.`,
      })),
  ]
}

function findSubWorkflowProblems(block: ChainBlock, { workflowId, workflowTemplateId }: SubWorkflow): Problem[] {
  if ((workflowId === undefined) !== (workflowTemplateId === undefined)) return []
  const message = `The subWorkflow of block ${nameBlock(block)} needs either workflowId or, in a template, workflowTemplateId.`
  return [{ message }]
}

/** Templates name templates, workflows name workflows. */
export function findTemplateCalls(chain: readonly ChainBlock[]): Problem[] {
  return chain
    .filter(({ subWorkflow }) => subWorkflow?.workflowTemplateId !== undefined)
    .map((block) => ({
      message: `The subWorkflow of block ${nameBlock(block)} has workflowTemplateId, which only a template has. Use workflowId.`,
    }))
}

function findTogetherProblems(block: ChainBlock): Problem[] {
  if (block.wait && block.subWorkflow)
    return [{ message: `Block ${nameBlock(block)} has subWorkflow and wait. Use a block of its own for each.` }]
  const what = block.wait ? 'wait' : block.subWorkflow ? 'subWorkflow' : undefined
  if (what === undefined || (block.forEach?.batchSize ?? 1) === 1) return []
  return [{ message: `Block ${nameBlock(block)} has ${what}, so the batchSize of its forEach must be 1.` }]
}
