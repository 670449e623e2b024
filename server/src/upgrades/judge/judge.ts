// What going to another version would do to one workflow.
import { blocksMax, type PreviewOutcome } from '@patchbay/contract'
import type { Queryable } from '../../db/index.ts'
import { type Conflict, conflictKey } from '../../engine/merge/conflict.ts'
import { mergeDefinitions } from '../../engine/merge/merge-definitions.ts'
import type { MisfitProblem } from '../../engine/merge/misfits.ts'
import type { Need, Problem } from '../../engine/problem.ts'
import {
  bindAs,
  type CheckScript,
  type Definition,
  findBases,
  findDeployProblems,
  type OpenWorkflow,
} from '../../workflows/index.ts'
import type { JudgeDeps } from '../ports.ts'
import { type Choices, noChoices, toResolutions } from '../target/choices.ts'
import { type Goal, isNewer } from '../target/target.ts'
import { applyValues, isMended } from './apply-values.ts'

export type Judgement = {
  outcome: PreviewOutcome
  /** What would be stored; the workflow as it is unless the outcome is clean. */
  next: Definition
  base: Definition | undefined
  conflicts: readonly Conflict[]
  problems: readonly Problem[]
  /** What could not be done with the values that were given. */
  refusedValues: readonly string[]
  notes: readonly string[]
  /** Resolutions that met no conflict. */
  unused: readonly string[]
}

/** Judges many workflows: what they have in common is looked up and compiled once. */
export class Judge {
  readonly #deps: Pick<JudgeDeps, 'connections' | 'checkScript'>
  readonly #db: Queryable
  readonly #target: Goal
  readonly #bases = new Map<string, Definition>()
  readonly #compiled = new Map<string, Promise<boolean>>()

  constructor(deps: Pick<JudgeDeps, 'connections' | 'checkScript'>, db: Queryable, target: Goal) {
    this.#deps = deps
    this.#db = db
    this.#target = target
  }

  async judgeAll(
    workflows: readonly OpenWorkflow[],
    choicesOf: (workflowId: string) => Choices = () => noChoices,
  ): Promise<Map<string, Judgement>> {
    const missing = workflows.flatMap(({ baseDigest }) =>
      baseDigest && !this.#bases.has(baseDigest.toString('hex')) ? [baseDigest] : [],
    )
    for (const [digest, base] of await findBases(this.#db, missing)) this.#bases.set(digest, base)
    const judged = workflows.map(
      async (workflow) => [workflow.id, await this.#judge(workflow, choicesOf(workflow.id))] as const,
    )
    return new Map(await Promise.all(judged))
  }

  async #judge(workflow: OpenWorkflow, choices: Choices): Promise<Judgement> {
    const target = this.#target
    const base = this.#bases.get(workflow.baseDigest?.toString('hex') ?? '')
    const untouched = {
      next: workflow.definition,
      base,
      conflicts: [],
      problems: [],
      refusedValues: [],
      notes: [],
      unused: [],
    }
    const keys = choices.resolutions.map(conflictKey)
    if (workflow.templateVersion === target.version || isNewer(target, workflow.templateVersion)) {
      return { ...untouched, outcome: 'upToDate', unused: keys }
    }
    if (!base) {
      const problem =
        'The template version this workflow was made from is unknown, so its own changes cannot be determined.'
      return { ...untouched, outcome: 'problem', problems: [{ message: problem }] }
    }
    const merge = await this.#merge(base, workflow.definition, choices)
    const { definition, problems: refusedValues } = applyValues(merge.merged, workflow.definition, choices)
    const problems = [
      // A value that was given in place of one that no longer fits has mended it.
      ...merge.problems.filter((problem) => !isMended(problem, choices)).map(toProblem),
      ...refusedValues.map((message) => ({ message })),
      ...(await this.#findProblems(workflow, definition)),
    ]
    const outcome = merge.conflicts.length > 0 ? 'conflict' : problems.length > 0 ? 'problem' : 'clean'
    return {
      outcome,
      next: definition,
      base,
      conflicts: merge.conflicts,
      problems,
      refusedValues,
      notes: merge.notes,
      unused: keys.filter((key) => !merge.used.has(key)),
    }
  }

  /** Lines of both sides together must compile; where they do not, a person decides. */
  async #merge(base: Definition, ours: Definition, choices: Choices) {
    const theirs = bindAs(this.#target.theirs, ours)
    const sides = { base: bindAs(base, ours), ours, theirs, resolutions: toResolutions(choices) }
    const merge = mergeDefinitions(sides)
    const broken = await Promise.all(
      merge.combined.map(async ({ uniqueBlockId, script }) => ((await this.#compiles(script)) ? [] : [uniqueBlockId])),
    )
    const rejected = new Set(broken.flat())
    return rejected.size === 0 ? merge : mergeDefinitions({ ...sides, rejected })
  }

  #compiles(script: string): Promise<boolean> {
    const known = this.#compiled.get(script) ?? compile(this.#deps.checkScript, script)
    this.#compiled.set(script, known)
    return known
  }

  /** What the upgrade would break; what was missing before is not its fault. */
  async #findProblems(workflow: OpenWorkflow, next: Definition): Promise<Problem[]> {
    const { definition: ours, organizationId, accountId } = workflow
    const ids = [...new Set([ours, next].flatMap(({ applications }) => Object.values(applications)))]
    const connections = ids.length === 0 ? [] : await this.#deps.connections.list({ organizationId, accountId }, ids)
    const names = new Map(next.chain.map(({ uniqueBlockId, blockName }) => [uniqueBlockId, blockName]))
    // Sentences name blocks, and a block that was only renamed brings no new problem.
    const renamed = ours.chain.map((block) => ({
      ...block,
      blockName: names.get(block.uniqueBlockId) ?? block.blockName,
    }))
    const known = new Set(findDeployProblems({ ...ours, chain: renamed }, connections).map(({ message }) => message))
    const found = findDeployProblems(next, connections)
    const sources = new Set([...ours.chain, ...this.#target.theirs.chain].map(({ script }) => script))
    const uncompiled = await Promise.all(
      next.chain.map(async ({ script, blockName }) =>
        sources.has(script) || (await this.#compiles(script))
          ? []
          : [{ message: `The script of block "${blockName}" does not compile.` }],
      ),
    )
    return [
      ...found.filter(({ message }) => !known.has(message)),
      ...uncompiled.flat(),
      ...(next.chain.length > blocksMax ? [{ message: `The workflow would have more than ${blocksMax} blocks.` }] : []),
    ]
  }
}

function toProblem({ message, variable: name, uniqueBlockId }: MisfitProblem): Problem {
  const need: Need =
    uniqueBlockId === undefined ? { kind: 'variable', name } : { kind: 'blockVariable', name, uniqueBlockId }
  return { message, need }
}

async function compile(checkScript: CheckScript, script: string): Promise<boolean> {
  return (await checkScript(script)).ok
}
