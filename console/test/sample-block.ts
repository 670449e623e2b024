import type { Block } from '../src/definition/workflow-draft.ts'

/** A block with what the console reads of it. */
export function sampleBlock(uniqueBlockId: string, dataSources: string[] = []): Block {
  const block: Partial<Block> = {
    uniqueBlockId,
    blockName: uniqueBlockId,
    script: 'return 1',
    dataSources,
    variables: {},
    applicationShortName: null,
    blockTemplateId: null,
  }
  return block as Block
}
