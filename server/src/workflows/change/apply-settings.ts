// The settings of a workflow beside its chain and its variables.
import { replayRunsDefault } from '@patchbay/contract'
import type { ChainBlock } from '../../engine/chain/chain.ts'
import type { Problem } from '../../engine/problem.ts'
import type { Definition } from '../definition/definition.ts'

export type SettingsInput = {
  timeoutSeconds?: number | null
  recordCallBodies?: boolean
  replayRuns?: number
  outputBlock?: string | null
}

type Settings = Pick<Definition, 'timeoutSeconds' | 'recordCallBodies' | 'replayRuns' | 'outputBlock'>

/**
 * Stored only where they differ from the default: a workflow from before there were these settings stays the same when it is posted back.
 * `chain`: as it will be; undefined when it was refused.
 */
export function applySettings(
  current: Definition,
  input: SettingsInput,
  chain: readonly ChainBlock[] | undefined,
  problems: Problem[],
): Settings {
  const { timeoutSeconds = current.timeoutSeconds } = input
  const recordCallBodies = input.recordCallBodies ?? current.recordCallBodies ?? false
  const replayRuns = input.replayRuns ?? current.replayRuns ?? replayRunsDefault
  const { outputBlock = current.outputBlock ?? null } = input
  const output = outputBlock?.toLowerCase()
  if (output !== undefined && chain?.every(({ uniqueBlockId }) => uniqueBlockId !== output))
    problems.push({ message: `The field outputBlock is ${output}, but the workflow has no such block.` })
  return {
    timeoutSeconds,
    ...(recordCallBodies ? { recordCallBodies } : {}),
    ...(replayRuns === replayRunsDefault ? {} : { replayRuns }),
    ...(output === undefined ? {} : { outputBlock: output }),
  }
}

export function withoutSettings(definition: Definition): Omit<Definition, keyof Settings> {
  const { timeoutSeconds, recordCallBodies, replayRuns, outputBlock, ...others } = definition
  return others
}
