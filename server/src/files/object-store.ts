/** Where sealed contents lie: small objects that are written once, never changed, and removed when nothing refers to them. */
export type ObjectStore = {
  /** As a person names it. */
  readonly url: string
  /** The bytes are durable when this returns. */
  put(key: string, bytes: Buffer): Promise<void>
  /** Undefined when there is none. */
  get(key: string): Promise<Buffer | undefined>
  /** Keys after this one, in their order; fewer than `count` only at the end. */
  list(after: string, count: number): Promise<string[]>
  /** Harmless for those that are gone already. */
  remove(keys: readonly string[]): Promise<void>
}
