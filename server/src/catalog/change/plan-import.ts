// What an import changes. Published versions never change, so a version that is there already must say the same, or gets the next number where
// the source has no numbers of its own.
import type {
  Application,
  BlockTemplate,
  Catalog as Contents,
  Problem,
  WorkflowTemplate,
} from '../format/definition.ts'
import { templateNames } from '../read/read-templates.ts'
import { pinBlocks } from '../shelves/pin-blocks.ts'
import type { Shelf } from '../shelves/shelf.ts'
import type { Item, ItemKind, KnownVersion, StoredItem } from '../shelves/store.ts'
import { credentialEpochOf } from './credential-epoch.ts'
import { nextVersion } from './next-version.ts'
import { type MayChange, notYours } from './owners.ts'

export type ImportedItem = {
  entityType: ItemKind
  id: string
  name: string
  version: string | null
  state: 'Published' | 'Draft'
  change: 'created' | 'changed' | 'unchanged'
}
export type ImportPlan = {
  writes: StoredItem[]
  imported: ImportedItem[]
  problems: Problem[]
  /** Applications whose registered instances need their credentials anew. */
  moved: Application[]
}
type FindBlock = (id: string) => BlockTemplate | undefined
/** `findPublishedBlock` knows what was published before the import. */
type Options = { numbersVersions: boolean; findPublishedBlock: FindBlock; mayChange: MayChange }

type Given = { kind: ItemKind; item: Item }

export function givenItems(contents: Contents): Given[] {
  return [
    ...contents.applications.map((item) => ({ kind: 'application' as const, item })),
    ...contents.blockTemplates.map((item) => ({ kind: 'blockTemplate' as const, item })),
    ...contents.workflowTemplates.map((item) => ({ kind: 'workflowTemplate' as const, item })),
    ...contents.functions.map((item) => ({ kind: 'function' as const, item })),
  ]
}

export function planImport(
  contents: Contents,
  hosted: Shelf,
  known: readonly KnownVersion[],
  options: Options,
): ImportPlan {
  const plan: ImportPlan = { writes: [], imported: [], problems: [], moved: [] }
  // Blocks come before the templates that stand on them. One that is refused is nothing to stand on, also when it has an earlier version: its
  // author did not mean that one, and it would be pinned for good.
  const brought = new Map<string, BlockTemplate | undefined>()
  const findBlock: FindBlock = (id) => (brought.has(id) ? brought.get(id) : options.findPublishedBlock(id))
  const refuse = (kind: ItemKind, item: Item, message: string) => {
    plan.problems.push({ file: item.file, line: 1, message })
    if (isPublishedBlock(kind, item)) brought.set(item.id, undefined)
  }
  for (const { kind, item } of givenItems(contents)) {
    const problem = findClash(kind, item, hosted) ?? findDraftBlock(kind, item, findBlock)
    if (problem !== undefined) {
      refuse(kind, item, problem)
      continue
    }
    const versions = known
      .filter((entry) => entry.kind === kind && entry.id === item.id)
      .sort((a, b) => b.revision - a.revision)
    const isDraft = 'state' in item && item.state === 'Draft'
    const version = 'version' in item ? item.version : null
    const taken = versions.find((entry) => version !== null && entry.version === version)
    const before = findStored(kind, item.id, isDraft, hosted)
    const same = findSame(item, options.numbersVersions || version === null ? before : parse(taken), options)
    if (taken && !same && !options.numbersVersions) {
      const message = `The version "${version}" is already published and cannot change. Give it another version, or make it a draft.`
      refuse(kind, item, message)
      continue
    }
    if (!same && !options.mayChange(kind, item.id)) {
      refuse(kind, item, notYours(`${names[kind]} "${item.name}"`))
      continue
    }
    const written = same ?? (taken ? { ...item, version: nextVersion(versions.flatMap(nameOf)) } : item)
    if (isPublishedBlock(kind, written)) brought.set(item.id, written)
    const revision = isDraft ? 0 : (versions[0]?.revision ?? 0) + 1
    if (!same) {
      const write = toStored(kind, written, revision, findBlock)
      if (kind === 'application') {
        write.credentialEpoch = credentialEpochOf(before as Application | undefined, item as Application)
        if (write.credentialEpoch > epochOf(before)) plan.moved.push(item as Application)
      }
      plan.writes.push(write)
    }
    plan.imported.push({
      entityType: kind,
      id: item.id,
      name: item.name,
      version: 'version' in written ? written.version : null,
      state: isDraft ? 'Draft' : 'Published',
      change: same ? 'unchanged' : before || versions.length > 0 ? 'changed' : 'created',
    })
  }
  return plan
}

export function toStored(kind: ItemKind, item: Item, revision: number, findPublishedBlock: FindBlock): StoredItem {
  const isPublished = revision > 0
  return {
    kind,
    id: item.id,
    revision,
    version: isPublished && 'version' in item ? item.version : null,
    definition: JSON.stringify(item),
    pinned: isPublished && 'chain' in item ? JSON.stringify(pinBlocks(item, findPublishedBlock)) : null,
    credentialEpoch: 0,
  }
}

const names = { ...templateNames, application: 'application', function: 'function' } as const

const epochOf = (item: Item | undefined) => (item && 'credentialEpoch' in item ? (item.credentialEpoch ?? 0) : 0)

/** Names of applications and functions mean one thing within an organization. */
function findClash(kind: ItemKind, item: Item, hosted: Shelf): string | undefined {
  if (kind === 'application' && 'shortName' in item) {
    const holder = hosted.items.applications.find(
      (other) => other.shortName.toLowerCase() === item.shortName.toLowerCase() && other.id !== item.id,
    )
    return holder && `The shortName "${item.shortName}" is already used by the application ${holder.id}.`
  }
  if (kind !== 'function') return undefined
  const holder = hosted.items.functions.find(
    (other) => other.name.toLowerCase() === item.name.toLowerCase() && other.id !== item.id,
  )
  return holder && `The name "${item.name}" is already used by the function ${holder.id}.`
}

function isPublishedBlock(kind: ItemKind, item: Item): item is BlockTemplate {
  return kind === 'blockTemplate' && (item as BlockTemplate).state === 'Published'
}

function findDraftBlock(kind: ItemKind, item: Item, findPublishedBlock: FindBlock): string | undefined {
  if (kind !== 'workflowTemplate') return undefined
  const template = item as WorkflowTemplate
  return template.state === 'Draft' ? undefined : unpublishedBlocks(template, findPublishedBlock)
}

/** What is published must not stand on what may still change. */
export function unpublishedBlocks(template: WorkflowTemplate, findPublishedBlock: FindBlock): string | undefined {
  const names = template.chain
    .filter(({ blockTemplateId }) => blockTemplateId !== undefined && !findPublishedBlock(blockTemplateId))
    .map(({ blockName }) => `"${blockName}"`)
  return names.length === 0
    ? undefined
    : `These blocks use block templates that are not published: ${names.join(', ')}.`
}

function findStored(kind: ItemKind, id: string, isDraft: boolean, hosted: Shelf): Item | undefined {
  if (kind === 'application') return hosted.items.applications.find((item) => item.id === id)
  if (kind === 'function') return hosted.items.functions.find((item) => item.id === id)
  return hosted.findTemplate(kind, id, isDraft)
}

const nameOf = (entry: KnownVersion) => entry.version ?? []

function parse(known: KnownVersion | undefined): Item | undefined {
  return known?.definition ? (JSON.parse(known.definition) as Item) : undefined
}

/**
 * `before` when it says the same as the item. Where it was read is no part of an item, nor is the order of its fields; neither is a number
 * that its source does not give. The order of what is deeper counts: arguments of a function are told apart by it.
 */
function findSame(item: Item, before: Item | undefined, options: { numbersVersions: boolean }): Item | undefined {
  if (!before) return undefined
  const ignored = {
    file: '',
    pinned: undefined,
    credentialEpoch: undefined,
    ...(options.numbersVersions && { version: null }),
  }
  const content = (value: Item) => JSON.stringify(Object.entries({ ...value, ...ignored }).sort(byKey))
  return content(before) === content(item) ? before : undefined
}

const byKey = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1)
