import type { ChainBlock } from '../../src/engine/chain/chain.ts'
import type { Mergeable } from '../../src/engine/merge/mergeable.ts'
import type { Checked } from '../../src/engine/problem.ts'

/** A block with everything a test does not care about filled in. */
export function block(uniqueBlockId: string, dataSources: string[] = [], rest: Partial<ChainBlock> = {}): ChainBlock {
  return {
    uniqueBlockId,
    blockName: `Block ${uniqueBlockId}`,
    blockTemplateId: 'template-of-the-block',
    applicationShortName: null,
    script: 'return 1',
    dataSources,
    variables: {},
    isCustomized: false,
    ...rest,
  }
}

/** A workflow of these blocks, as a merge takes it. */
export function definition(chain: readonly ChainBlock[], rest: Partial<Mergeable> = {}): Mergeable {
  return {
    description: '',
    isCustomizedStructure: false,
    templateApplications: [],
    variables: [],
    chain,
    blockVariables: {},
    ...rest,
  }
}

export function acceptedOf<T>(checked: Checked<T>): T {
  if (!checked.ok) throw new Error(`Refused: ${checked.problems.map((problem) => problem.message).join(' ')}`)
  return checked.value
}

export function refusalOf(checked: Checked<unknown>): string {
  if (checked.ok) throw new Error(`Accepted: ${JSON.stringify(checked.value)}`)
  return checked.problems.map((problem) => problem.message).join(' ')
}
