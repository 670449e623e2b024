// What is to the right of this room and passed in by the composition root.
import type { Queryable, Scope } from '../db/index.ts'

export type WorkflowUses = {
  /** Ids of the workflows that use the registered application and are not archived. */
  using(db: Queryable, scope: Scope, regApplicationId: string): Promise<string[]>
  /** How many of them there are, by id of the registered application; ids that none uses may be left out. */
  countUsing(scope: Scope, regApplicationIds: readonly string[]): Promise<ReadonlyMap<string, number>>
}
