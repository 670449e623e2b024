/**
 * Three definitions become one: `base` is what the template said when the workflow was made, `theirs` what it says in another version,
 * `ours` the workflow as its customer has it. What one side changed is taken; what both changed is the customer's, or a conflict.
 * "Changed" is judged by content.
 */
import type { ChainBlock } from '../chain/chain.ts'
import { type Conflict, Findings, type Resolutions } from './conflict.ts'
import { mergeChain } from './merge-chain.ts'
import { keepTypes, mergeDeclarations } from './merge-declarations.ts'
import { mergeVariables } from './merge-variables.ts'
import type { Mergeable } from './mergeable.ts'
import { findMisfits, type MisfitProblem } from './misfits.ts'

export type MergeInput<Definition extends Mergeable> = {
  readonly base: Mergeable
  readonly ours: Definition
  readonly theirs: Mergeable
  readonly resolutions?: Resolutions
  /** Blocks whose combined script was found not to compile; each is then a conflict. */
  readonly rejected?: ReadonlySet<string>
}

export type Merge<Definition extends Mergeable> = {
  /** With conflicts it is what could be merged, and the customer's side of the rest. */
  readonly merged: Definition
  readonly conflicts: readonly Conflict[]
  /** Values that no longer fit their variable. */
  readonly problems: readonly MisfitProblem[]
  /** Customers' values that stay although the template changed them too, as sentences. */
  readonly notes: readonly string[]
  /** Blocks with a script of lines from both sides: whether those compile is for the caller to find out. */
  readonly combined: readonly ChainBlock[]
  /** Keys of resolutions that met a conflict. */
  readonly used: ReadonlySet<string>
}

export function mergeDefinitions<Definition extends Mergeable>(input: MergeInput<Definition>): Merge<Definition> {
  const { base, ours, theirs, resolutions = new Map(), rejected = new Set() } = input
  const findings = new Findings(resolutions)
  const combined: ChainBlock[] = []
  const onCombined = (block: ChainBlock) => combined.push(block)
  const { chain, isCustomizedStructure } = mergeChain({ base, ours, theirs }, { findings, rejected, onCombined })
  const blockVariables = mergeDeclarations({ base, ours, theirs }, chain)
  const merged: Definition = {
    ...ours,
    isCustomizedStructure,
    description: ours.description === base.description ? theirs.description : ours.description,
    templateApplications: theirs.templateApplications,
    variables: mergeVariables({ base, ours, theirs }, chain, findings),
    chain: keepTypes(chain, blockVariables, ours),
    blockVariables,
  }
  return {
    merged,
    conflicts: findings.conflicts,
    problems: findMisfits(ours, merged),
    notes: findings.notes,
    combined,
    used: findings.used,
  }
}
