/** Something that both sides changed and that only a person can decide. */
export type Conflict = {
  readonly uniqueBlockId: string
  readonly blockName: string
  /** `script`, `dataSources`, …; `block` when one side removed the block and the other changed it. */
  readonly field: string
  /** Null where that side has nothing. */
  readonly base: unknown
  readonly ours: unknown
  readonly theirs: unknown
}

/** What a person decided about one conflict. */
export type Resolution =
  | { readonly take: 'template' | 'customer' }
  | { readonly take: 'value'; readonly value: unknown }

export type Resolutions = ReadonlyMap<string, Resolution>

/** Names a conflict within a workflow. */
export function conflictKey({ uniqueBlockId, field }: { uniqueBlockId: string; field: string }): string {
  return `${uniqueBlockId} ${field}`
}

/** Gathers what one merge finds, and answers conflicts that have been decided. */
export class Findings {
  readonly conflicts: Conflict[] = []
  /** Sentences about what a person may want to know although nothing needs to be decided. */
  readonly notes: string[] = []
  /** Resolutions that met their conflict. */
  readonly used = new Set<string>()
  readonly #resolutions: Resolutions

  constructor(resolutions: Resolutions) {
    this.#resolutions = resolutions
  }

  /** The decision, or undefined after the conflict has been noted. */
  resolve(conflict: Conflict): Resolution | undefined {
    const key = conflictKey(conflict)
    const resolution = this.#resolutions.get(key)
    if (resolution) this.used.add(key)
    else if (!this.conflicts.some((one) => conflictKey(one) === key)) this.conflicts.push(conflict)
    return resolution
  }
}
