/**
 * Finds many patterns in one pass over a text, whatever they are: the automaton of Aho and Corasick. The work is proportional to the length of the
 * text, which matters because those who choose the patterns choose the text as well.
 */

/** Of the nodes: arrays of numbers, because a script may have hundreds of thousands of them. */
export class PatternFinder {
  /** Node 0 is the root. */
  #nodes = 1
  #depth: Int32Array
  #fallback: Int32Array
  /** Length of the longest pattern that ends here. */
  #found: Int32Array
  // A hash table of edges: from which node, by which character, to which node.
  readonly #mask: number
  readonly #from: Int32Array
  readonly #by: Uint16Array
  readonly #to: Int32Array

  constructor(patterns: readonly string[]) {
    const characters = patterns.reduce((sum, pattern) => sum + pattern.length, 0)
    const slots = 2 ** Math.ceil(Math.log2(2 * characters + 2))
    this.#mask = slots - 1
    this.#from = new Int32Array(slots)
    this.#by = new Uint16Array(slots)
    this.#to = new Int32Array(slots)
    this.#depth = new Int32Array(characters + 1)
    this.#fallback = new Int32Array(characters + 1)
    this.#found = new Int32Array(characters + 1)
    const parent = new Int32Array(characters + 1)
    const character = new Uint16Array(characters + 1)
    for (const pattern of patterns) this.#insert(pattern, parent, character)
    this.#linkFallbacks(parent, character)
  }

  /** The state in which a text begins. */
  readonly start = 0

  next(state: number, character: number): number {
    let node = state
    for (;;) {
      const child = this.#child(node, character)
      if (child !== 0 || node === 0) return child
      node = this.#fallback[node] as number
    }
  }

  /** Length of the longest pattern that ends in this state; 0 when none does. */
  foundLength(state: number): number {
    return this.#found[state] as number
  }

  /** How much of the text's end is the beginning of a pattern. */
  openLength(state: number): number {
    return this.#depth[state] as number
  }

  #slot(node: number, character: number): number {
    let slot = (Math.imul(node, 0x9e3779b1) ^ Math.imul(character, 0x85ebca6b)) >>> 7
    for (;;) {
      slot &= this.#mask
      if (this.#to[slot] === 0 || (this.#from[slot] === node && this.#by[slot] === character)) return slot
      slot++
    }
  }

  #child(node: number, character: number): number {
    return this.#to[this.#slot(node, character)] as number
  }

  #insert(pattern: string, parent: Int32Array, character: Uint16Array): void {
    let node = 0
    for (let index = 0; index < pattern.length; index++) {
      const code = pattern.charCodeAt(index)
      const slot = this.#slot(node, code)
      if (this.#to[slot] === 0) {
        const made = this.#nodes++
        this.#from[slot] = node
        this.#by[slot] = code
        this.#to[slot] = made
        this.#depth[made] = index + 1
        parent[made] = node
        character[made] = code
      }
      node = this.#to[slot] as number
    }
    this.#found[node] = pattern.length
  }

  /** Shallow nodes first: the fallback of a node is less deep than itself. */
  #linkFallbacks(parent: Int32Array, character: Uint16Array): void {
    const nodes = Int32Array.from({ length: this.#nodes - 1 }, (_, index) => index + 1)
    nodes.sort((a, b) => (this.#depth[a] as number) - (this.#depth[b] as number))
    for (const node of nodes) {
      const above = parent[node] as number
      const fallback = above === 0 ? 0 : this.next(this.#fallback[above] as number, character[node] as number)
      this.#fallback[node] = fallback
      if (this.#found[node] === 0) this.#found[node] = this.#found[fallback] as number
    }
  }
}
