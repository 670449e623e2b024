// What somebody changed in a workflow and has not saved yet. The server's workflow stays as it was read; the draft lies over it.
import { flowFieldNames } from '@patchbay/sdk'
import { useMemo, useState } from 'react'
import type { Answer, Body } from '../api.ts'

export type WorkflowDetail = Answer<'Workflow'>
export type Block = WorkflowDetail['chain'][number]
export type BlockEdit = Partial<Pick<Block, (typeof editable)[number]>>

type Changes = {
  /** The revision that was read when the first change was made; undefined while there is none. */
  base?: number
  edits: Readonly<Record<string, BlockEdit>>
  added: readonly Block[]
  removed: readonly string[]
}
export const noChanges: Changes = { edits: {}, added: [], removed: [] }

export type WorkflowDraft = {
  /** The blocks as they would be after saving. */
  chain: readonly Block[]
  changed: ReadonlySet<string>
  isChanged: boolean
  /** The revision that these changes were made on. A newer one on the server is somebody else's. */
  baseRevision: number
  /** The newest revision was looked at; the changes are meant for it from now on. */
  rebase: () => void
  edit: (blockId: string, edit: BlockEdit) => void
  add: (block: Block) => void
  remove: (blockId: string) => void
  discard: () => void
  body: () => Body<'WorkflowUpdate'>
}

export function useWorkflowDraft(workflow: WorkflowDetail): WorkflowDraft {
  const [changes, setChanges] = useState<Changes>(noChanges)
  const chain = useMemo(() => mergeChain(workflow.chain, changes), [workflow.chain, changes])
  const changed = useMemo(() => changedBlocks(workflow.chain, chain, changes), [workflow.chain, chain, changes])
  const since = (before: Changes): Changes => ({ ...before, base: before.base ?? workflow.revision })
  return {
    chain,
    changed,
    isChanged: changed.size > 0,
    baseRevision: changes.base ?? workflow.revision,
    rebase: () => setChanges((before) => ({ ...before, base: workflow.revision })),
    edit: (blockId, edit) =>
      setChanges((before) => ({
        ...since(before),
        edits: { ...before.edits, [blockId]: { ...before.edits[blockId], ...edit } },
      })),
    add: (block) => setChanges((before) => ({ ...since(before), added: [...before.added, block] })),
    remove: (blockId) => setChanges((before) => withoutBlock(since(before), chain, blockId)),
    discard: () => setChanges(noChanges),
    body: () => ({ chain: elementsOf(workflow.chain, chain, changes, changed) }),
  }
}

/** A block that others read from leaves their data sources with it. */
export function withoutBlock(before: Changes, chain: readonly Block[], blockId: string): Changes {
  const readers = chain.filter((block) => block.dataSources.includes(blockId))
  const edits = { ...before.edits }
  for (const reader of readers) {
    const dataSources = reader.dataSources.filter((source) => source !== blockId)
    edits[reader.uniqueBlockId] = { ...edits[reader.uniqueBlockId], dataSources }
  }
  const isNew = before.added.some((block) => block.uniqueBlockId === blockId)
  return {
    ...before,
    edits,
    added: before.added.filter((block) => block.uniqueBlockId !== blockId),
    removed: isNew ? before.removed : [...before.removed, blockId],
  }
}

export function mergeChain(saved: readonly Block[], changes: Changes): Block[] {
  return [...saved.filter((block) => !changes.removed.includes(block.uniqueBlockId)), ...changes.added].map(
    (block, index) => ({ ...block, ...changes.edits[block.uniqueBlockId], no: index + 1 }),
  )
}

const editable = ['blockName', 'script', 'dataSources', 'variables', 'applicationShortName', ...flowFieldNames] as const

export function changedBlocks(saved: readonly Block[], chain: readonly Block[], changes: Changes): Set<string> {
  const before = new Map(saved.map((block) => [block.uniqueBlockId, block]))
  const differs = (block: Block) => {
    const old = before.get(block.uniqueBlockId)
    return !old || editable.some((name) => JSON.stringify(old[name]) !== JSON.stringify(block[name]))
  }
  return new Set([...chain.filter(differs).map((block) => block.uniqueBlockId), ...changes.removed])
}

export function elementsOf(
  saved: readonly Block[],
  chain: readonly Block[],
  changes: Changes,
  changed: ReadonlySet<string>,
): NonNullable<Body<'WorkflowUpdate'>['chain']> {
  const before = new Map(saved.map((block) => [block.uniqueBlockId, block]))
  const kept = chain.filter((block) => changed.has(block.uniqueBlockId)).map((block) => elementOf(before, block))
  return [...kept, ...changes.removed.map((uniqueBlockId) => ({ uniqueBlockId, isDeleted: true }))]
}

/** Only what changed is named, so that a bound workflow is not asked for more than a person did. */
function elementOf(before: ReadonlyMap<string, Block>, block: Block) {
  const old = before.get(block.uniqueBlockId)
  const { uniqueBlockId, blockTemplateId } = block
  if (!old) {
    const named = editable.filter((name) => block[name] !== undefined)
    return { uniqueBlockId, blockTemplateId, ...Object.fromEntries(named.map((name) => [name, block[name]])) }
  }
  const differing = editable.filter((name) => JSON.stringify(old[name]) !== JSON.stringify(block[name]))
  return { uniqueBlockId, ...Object.fromEntries(differing.map((name) => [name, block[name]])) }
}

/** Random ids also where the page came over plain HTTP and the browser offers no randomUUID. */
export function newBlockId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
