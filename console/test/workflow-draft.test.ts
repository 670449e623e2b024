import { describe, expect, it } from 'vitest'
import {
  type Block,
  type BlockEdit,
  changedBlocks,
  elementsOf,
  mergeChain,
  newBlockId,
  noChanges,
  withoutBlock,
} from '../src/definition/workflow-draft.ts'
import { sampleBlock } from './sample-block.ts'

const orders = sampleBlock('orders')
const invoices = sampleBlock('invoices', ['orders'])
const mails = sampleBlock('mails', ['invoices', 'orders'])
const saved = [orders, invoices, mails]

const edited = (edits: Record<string, BlockEdit>) => ({ ...noChanges, edits })

function bodyOf(changes: typeof noChanges) {
  const chain = mergeChain(saved, changes)
  return elementsOf(saved, chain, changes, changedBlocks(saved, chain, changes))
}

describe('a draft of a workflow', () => {
  it('shows an edit over what is saved, and numbers the blocks anew', () => {
    const chain = mergeChain(saved, { ...edited({ mails: { script: 'return 2' } }), removed: ['orders'] })
    expect(chain.map(({ uniqueBlockId, no }) => [uniqueBlockId, no])).toEqual([
      ['invoices', 1],
      ['mails', 2],
    ])
    expect(chain[1]?.script).toBe('return 2')
  })

  it('sends only what differs', () => {
    expect(bodyOf(edited({ invoices: { blockName: 'Bills', script: invoices.script } }))).toEqual([
      { uniqueBlockId: 'invoices', blockName: 'Bills' },
    ])
  })

  it('is unchanged when an edit was taken back', () => {
    const changes = edited({ invoices: { script: invoices.script } })
    expect(changedBlocks(saved, mergeChain(saved, changes), changes).size).toBe(0)
    expect(bodyOf(changes)).toEqual([])
  })

  it('sends a new block whole', () => {
    const added = sampleBlock('added', ['mails'])
    expect(bodyOf({ ...noChanges, added: [added] })).toEqual([
      expect.objectContaining({ uniqueBlockId: 'added', script: added.script, dataSources: ['mails'] }),
    ])
  })

  it('takes a removed block out of the sources of others, and keeps their other edits', () => {
    const before = edited({ mails: { blockName: 'Letters' } })
    expect(bodyOf(withoutBlock(before, mergeChain(saved, before), 'invoices'))).toEqual([
      { uniqueBlockId: 'mails', blockName: 'Letters', dataSources: ['orders'] },
      { uniqueBlockId: 'invoices', isDeleted: true },
    ])
  })

  it('forgets a block that was added and removed again', () => {
    const before = { ...noChanges, added: [sampleBlock('added')] as Block[] }
    expect(bodyOf(withoutBlock(before, mergeChain(saved, before), 'added'))).toEqual([])
  })

  it('gives new blocks ids of version 4, none twice', () => {
    const ids = Array.from({ length: 100 }, newBlockId)
    expect(new Set(ids).size).toBe(100)
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })
})
