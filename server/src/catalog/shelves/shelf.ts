// Items at hand, found by id and by name. One shelf holds what is shipped; each organization has one more.
import type { Application, BlockTemplate, LibraryFunction, WorkflowTemplate } from '../format/definition.ts'

export type ShelfItems = {
  applications: Application[]
  /** The newest published versions. */
  blockTemplates: BlockTemplate[]
  workflowTemplates: WorkflowTemplate[]
  blockDrafts: BlockTemplate[]
  workflowDrafts: WorkflowTemplate[]
  functions: LibraryFunction[]
  /** Of the newest change of a function; 0 when none has changed since stamps are kept. */
  functionStamp: number
}

export class Shelf {
  readonly items: ShelfItems
  readonly #applicationsById: Map<string, Application>
  readonly #applicationsByName: Map<string, Application>
  readonly #blockTemplates: Map<string, BlockTemplate>
  readonly #workflowTemplates: Map<string, WorkflowTemplate>
  readonly #blockDrafts: Map<string, BlockTemplate>
  readonly #workflowDrafts: Map<string, WorkflowTemplate>

  constructor(items: ShelfItems) {
    this.items = items
    this.#applicationsById = byId(items.applications)
    this.#applicationsByName = new Map(items.applications.map((item) => [item.shortName.toLowerCase(), item]))
    this.#blockTemplates = byId(items.blockTemplates)
    this.#workflowTemplates = byId(items.workflowTemplates)
    this.#blockDrafts = byId(items.blockDrafts)
    this.#workflowDrafts = byId(items.workflowDrafts)
  }

  findApplication(idOrShortName: string): Application | undefined {
    const wanted = idOrShortName.toLowerCase()
    return this.#applicationsById.get(wanted) ?? this.#applicationsByName.get(wanted)
  }

  findBlockTemplate(id: string, isDraft: boolean): BlockTemplate | undefined {
    return (isDraft ? this.#blockDrafts : this.#blockTemplates).get(id.toLowerCase())
  }

  findTemplate(
    kind: 'blockTemplate' | 'workflowTemplate',
    id: string,
    isDraft: boolean,
  ): BlockTemplate | WorkflowTemplate | undefined {
    return kind === 'blockTemplate' ? this.findBlockTemplate(id, isDraft) : this.findWorkflowTemplate(id, isDraft)
  }

  findWorkflowTemplate(id: string, isDraft: boolean): WorkflowTemplate | undefined {
    return (isDraft ? this.#workflowDrafts : this.#workflowTemplates).get(id.toLowerCase())
  }
}

export function emptyItems(): ShelfItems {
  return {
    applications: [],
    blockTemplates: [],
    workflowTemplates: [],
    blockDrafts: [],
    workflowDrafts: [],
    functions: [],
    functionStamp: 0,
  }
}

function byId<Item extends { id: string }>(items: readonly Item[]): Map<string, Item> {
  return new Map(items.map((item) => [item.id, item]))
}
