// The catalogue as the rest of the service sees it: what is shipped, from files and in memory, and what an organization brought itself.
import type { Database, Queryable } from '../../db/index.ts'
import type { KnownItems } from '../format/check-catalog.ts'
import type {
  Application,
  BlockTemplate,
  Catalog as Definitions,
  LibraryFunction,
  Problem,
  WorkflowTemplate,
} from '../format/definition.ts'
import { HostedShelves } from './hosted-shelves.ts'
import { pinBlocks } from './pin-blocks.ts'
import { Shelf, type ShelfItems } from './shelf.ts'
import {
  findVersion,
  hasItem,
  holdItems,
  type Item,
  listFunctionsAt,
  listVersions,
  parseItem,
  type TemplateKind,
} from './store.ts'

// Of one organization; workflows that were deployed at the same stamp share a list.
const earlierListsMax = 50

type Choice = { draft?: boolean; version?: string }
type Listed<Template> = { published: Template[]; drafts: Template[] }

export class Catalog {
  readonly #database: Database
  readonly #shipped: Shelf
  readonly #hosted = new HostedShelves()
  readonly #asked = new Map<string, Promise<Shelf>>()
  // Both lists stay the same values until the organization's items change, so that others may remember by them.
  readonly #applications = new WeakMap<Shelf, Application[]>()
  readonly #functions = new WeakMap<Shelf, LibraryFunction[]>()

  readonly #earlierFunctions = new WeakMap<Shelf, Map<number, LibraryFunction[]>>()

  private constructor(database: Database, shipped: Shelf) {
    this.#database = database
    this.#shipped = shipped
  }

  /** A broken file is reported and left out; only a directory that cannot be read at all stops the start. */
  static async load(deps: {
    database: Database
    /** Reading it takes a while and needs no database. */
    shipped: Promise<Definitions>
    onProblem: (problem: Problem) => void
  }): Promise<Catalog> {
    const { problems, ...items } = await deps.shipped
    for (const problem of problems) deps.onProblem(problem)
    // A shipped item has no draft: what is not finished is not shipped.
    const isPublished = ({ state }: { state: string }) => state === 'Published'
    const blockTemplates = items.blockTemplates.filter(isPublished)
    const byId = new Map(blockTemplates.map((block) => [block.id, block]))
    return new Catalog(
      deps.database,
      new Shelf({
        ...items,
        blockTemplates,
        workflowTemplates: items.workflowTemplates
          .filter(isPublished)
          .map((template) => ({ ...template, pinned: pinBlocks(template, (id) => byId.get(id)) })),
        blockDrafts: [],
        workflowDrafts: [],
        functionStamp: 0,
      }),
    )
  }

  /** By id, or by short name without regard to case. */
  async findApplication(organizationId: string, idOrShortName: string): Promise<Application | undefined> {
    const hosted = await this.hosted(organizationId)
    return hosted.findApplication(idOrShortName) ?? this.#shipped.findApplication(idOrShortName)
  }

  async listApplications(organizationId: string): Promise<Application[]> {
    const hosted = await this.hosted(organizationId)
    return listOnce(this.#applications, hosted, () =>
      [...this.#shipped.items.applications, ...hosted.items.applications].sort(byName),
    )
  }

  /** The newest published version unless the draft or another version is asked for. */
  async findBlockTemplate(organizationId: string, id: string, choice: Choice = {}): Promise<BlockTemplate | undefined> {
    const hosted = await this.hosted(organizationId)
    const isDraft = choice.draft === true
    const found = hosted.findBlockTemplate(id, isDraft) ?? this.#shipped.findBlockTemplate(id, isDraft)
    if (isAsked(found, choice)) return found
    return this.#findVersion<BlockTemplate>(organizationId, 'blockTemplate', id, choice)
  }

  async findWorkflowTemplate(
    organizationId: string,
    id: string,
    choice: Choice = {},
  ): Promise<WorkflowTemplate | undefined> {
    const hosted = await this.hosted(organizationId)
    const isDraft = choice.draft === true
    const found = hosted.findWorkflowTemplate(id, isDraft) ?? this.#shipped.findWorkflowTemplate(id, isDraft)
    if (isAsked(found, choice)) return found
    return this.#findVersion<WorkflowTemplate>(organizationId, 'workflowTemplate', id, choice)
  }

  /** Published versions of a workflow template, oldest first. A shipped one has only the version that is shipped. */
  async listTemplateVersions(organizationId: string, id: string): Promise<string[]> {
    const own = await listVersions(this.#forOrganization(organizationId), organizationId, 'workflowTemplate', id)
    const shipped = this.#shipped.findWorkflowTemplate(id, false)?.version
    return own.length > 0 || !shipped ? own.map(({ version }) => version).reverse() : [shipped]
  }

  async listBlockTemplates(organizationId: string, hostedOnly: boolean): Promise<Listed<BlockTemplate>> {
    const hosted = await this.hosted(organizationId)
    const shipped = hostedOnly ? [] : this.#shipped.items.blockTemplates
    return { published: [...shipped, ...hosted.items.blockTemplates].sort(byName), drafts: hosted.items.blockDrafts }
  }

  async listWorkflowTemplates(organizationId: string, hostedOnly: boolean): Promise<Listed<WorkflowTemplate>> {
    const hosted = await this.hosted(organizationId)
    const shipped = hostedOnly ? [] : this.#shipped.items.workflowTemplates
    return {
      published: [...shipped, ...hosted.items.workflowTemplates].sort(byName),
      drafts: hosted.items.workflowDrafts,
    }
  }

  async listFunctions(organizationId: string): Promise<LibraryFunction[]> {
    const hosted = await this.hosted(organizationId)
    return listOnce(this.#functions, hosted, () =>
      [...this.#shipped.items.functions, ...hosted.items.functions].sort(byName),
    )
  }

  /**
   * The block templates of a chain by id. Those of a published version are as they were when it was published; a draft stands on the
   * newest ones, and on a draft where nothing is published yet.
   */
  async listBlocksOf(organizationId: string, template: WorkflowTemplate): Promise<Map<string, BlockTemplate>> {
    const hosted = await this.hosted(organizationId)
    const blocks =
      template.pinned ??
      pinBlocks(template, (id) => this.findPublishedBlock(hosted, id) ?? hosted.findBlockTemplate(id, true))
    return new Map(blocks.map((block) => [block.id, block]))
  }

  /** The newest published version. */
  findPublishedBlock(hosted: Shelf, id: string): BlockTemplate | undefined {
    return hosted.findBlockTemplate(id, false) ?? this.#shipped.findBlockTemplate(id, false)
  }

  /** The stamp of the newest change among the organization's functions. */
  async functionStamp(organizationId: string): Promise<number> {
    return (await this.hosted(organizationId)).items.functionStamp
  }

  /** Functions as they were at a stamp, remembered until one changes. */
  async listFunctionsAt(organizationId: string, stamp: number): Promise<LibraryFunction[]> {
    const hosted = await this.hosted(organizationId)
    if (hosted.items.functionStamp <= stamp) return this.listFunctions(organizationId)
    const lists = this.#earlierFunctions.get(hosted) ?? new Map<number, LibraryFunction[]>()
    this.#earlierFunctions.set(hosted, lists)
    const known = lists.get(stamp)
    if (known) return known
    const own = await listFunctionsAt(this.#forOrganization(organizationId), organizationId, stamp)
    const list = [...this.#shipped.items.functions, ...own].sort(byName)
    if (lists.size >= earlierListsMax) lists.delete(lists.keys().next().value as number)
    lists.set(stamp, list)
    return list
  }

  isShipped(id: string): boolean {
    return (
      this.#shipped.findBlockTemplate(id, false) !== undefined ||
      this.#shipped.findWorkflowTemplate(id, false) !== undefined ||
      this.#shipped.findApplication(id) !== undefined
    )
  }

  /** The application stays until the transaction ends; false when it is gone. Shipped ones stay anyway. */
  async holdApplication(tx: Queryable, organizationId: string, id: string): Promise<boolean> {
    if (this.#shipped.findApplication(id)) return true
    await holdItems(tx, organizationId)
    return hasItem(tx, organizationId, 'application', id)
  }

  /** What the organization itself brought. Whoever asks in the same moment, as for all blocks of a chain, shares one read. */
  hosted(organizationId: string): Promise<Shelf> {
    let shelf = this.#asked.get(organizationId)
    if (!shelf) {
      shelf = Promise.resolve().then(() => {
        this.#asked.delete(organizationId)
        return this.#hosted.get(this.#forOrganization(organizationId), organizationId)
      })
      this.#asked.set(organizationId, shelf)
    }
    return shelf
  }

  /** The same within a change, which has raised the stamp and not yet written its items: so nothing of it is remembered. */
  hostedOn(tx: Queryable, organizationId: string): Promise<Shelf> {
    return this.#hosted.read(tx, organizationId)
  }

  /** What imported files may refer to, without what is large and not referred to. */
  knownItems(hosted: Shelf): KnownItems {
    const { items } = hosted
    return {
      shipped: withoutBulk(this.#shipped.items),
      // Later ones win: a draft stands in only where nothing is published.
      hosted: withoutBulk({
        ...items,
        blockTemplates: [...items.blockDrafts, ...items.blockTemplates],
        workflowTemplates: [...items.workflowDrafts, ...items.workflowTemplates],
      }),
    }
  }

  async #findVersion<Template extends Item>(
    organizationId: string,
    kind: TemplateKind,
    id: string,
    choice: Choice,
  ): Promise<Template | undefined> {
    if (choice.version === undefined || choice.draft === true) return undefined
    const db = this.#forOrganization(organizationId)
    const stored = await findVersion(db, organizationId, { kind, id, version: choice.version })
    return stored && (parseItem(stored) as Template)
  }

  /** The scope of an organization and of none of its accounts. */
  #forOrganization(organizationId: string): Queryable {
    return this.#database.forScope({ organizationId, accountId: '' })
  }
}

function listOnce<Item>(lists: WeakMap<Shelf, Item[]>, shelf: Shelf, make: () => Item[]): Item[] {
  const list = lists.get(shelf) ?? make()
  lists.set(shelf, list)
  return list
}

function withoutBulk(items: Omit<ShelfItems, 'blockDrafts' | 'workflowDrafts' | 'functionStamp'>) {
  return {
    applications: items.applications.map((item) => ({ ...item, logoImage: null })),
    blockTemplates: items.blockTemplates.map((item) => ({ ...item, script: '' })),
    workflowTemplates: items.workflowTemplates.map(({ pinned: _pinned, ...item }) => ({ ...item, chain: [] })),
    functions: items.functions.map((item) => ({ ...item, script: '' })),
  }
}

function isAsked(found: { version: string | null } | undefined, choice: Choice): boolean {
  return found !== undefined && (choice.version === undefined || found.version === choice.version)
}

function byName(a: { name: string; id: string }, b: { name: string; id: string }): number {
  return compare(a.name.toLowerCase(), b.name.toLowerCase()) || compare(a.id, b.id)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
