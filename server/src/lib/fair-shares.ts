// A limited amount (places, bytes) divided among those who ask, so that nobody can take it all. A holder is named once per level, from the
// narrow to the wide: its account and its organization, say. Each level has a limit of its own, and when most is taken a much smaller one:
// what is left then is kept for those who hold little.

export type ShareLevel =
  | { max: number; maxWhenCrowded: number }
  /** Part of what all other holders of this level leave. */
  | { partOfRest: number }

export type ShareLimits = { all: number; crowdedFrom: number; levels: readonly ShareLevel[] }

/** Why nothing was taken: the holder has its share already, or everything is taken. */
export type ShareRefusal = 'own' | 'all'

export class FairShares {
  readonly #limits: ShareLimits
  readonly #held: readonly Map<string, number>[]
  #used = 0

  constructor(limits: ShareLimits) {
    this.#limits = limits
    this.#held = limits.levels.map(() => new Map())
  }

  get used(): number {
    return this.#used
  }

  /** Takes all of the amount, or nothing and says why. */
  take(holder: readonly string[], amount: number): ShareRefusal | undefined {
    const refusal = this.refusalOf(holder, amount)
    if (refusal) return refusal
    this.#used += amount
    for (let index = 0; index < this.#held.length; index++) {
      const level = this.#held[index] as Map<string, number>
      level.set(holder[index] as string, (level.get(holder[index] as string) ?? 0) + amount)
    }
    return undefined
  }

  /** What `take` would say. */
  refusalOf(holder: readonly string[], amount: number): ShareRefusal | undefined {
    const { all, crowdedFrom, levels } = this.#limits
    const used = this.#used + amount
    if (used > all) return 'all'
    const isCrowded = used > crowdedFrom
    for (let index = 0; index < levels.length; index++) {
      const level = levels[index] as ShareLevel
      const before = this.#heldBy(index, holder)
      if ('partOfRest' in level) {
        if (before + amount > level.partOfRest * (all - (this.#used - before))) return 'own'
      } else if (before + amount > (isCrowded ? level.maxWhenCrowded : level.max)) return 'own'
    }
    return undefined
  }

  give(holder: readonly string[], amount: number): void {
    this.#used -= amount
    for (let index = 0; index < this.#held.length; index++) {
      const level = this.#held[index] as Map<string, number>
      const left = this.#heldBy(index, holder) - amount
      if (left > 0) level.set(holder[index] as string, left)
      else level.delete(holder[index] as string)
    }
  }

  #heldBy(index: number, holder: readonly string[]): number {
    return this.#held[index]?.get(holder[index] as string) ?? 0
  }
}
