import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ChainBlock } from '../../src/engine/chain/chain.ts'
import { compareBlocks, findDifference } from '../../src/engine/compare/difference.ts'

const block = (uniqueBlockId: string, rest: Partial<ChainBlock> = {}): ChainBlock => ({
  uniqueBlockId,
  blockName: uniqueBlockId.toUpperCase(),
  blockTemplateId: null,
  applicationShortName: null,
  script: 'return 1',
  dataSources: [],
  variables: {},
  isCustomized: true,
  ...rest,
})
const comparable = (rest: object = {}) => ({ fields: {}, variables: [], applications: {}, chain: [], ...rest })

describe('the difference of two definitions', () => {
  it('is empty when both are the same', () => {
    const same = () =>
      comparable({ fields: { name: 'x' }, variables: [{ name: 'a', value: [1] }], chain: [block('a'), block('b')] })
    expect(findDifference(same(), same())).toEqual({ fields: [], variables: [], applications: [], blocks: [] })
  })

  it('names settings, variables and applications that changed', () => {
    const from = comparable({
      fields: { name: 'old', timeoutSeconds: null },
      variables: [
        { name: 'gone', value: 1, type: 'number' },
        { name: 'kept', value: 1, type: 'number' },
        { name: 'retyped', value: 1, type: 'number' },
      ],
      applications: { TEST: 'a', HTTP: 'b' },
    })
    const to = comparable({
      fields: { name: 'new', timeoutSeconds: null },
      variables: [
        { name: 'kept', value: 2, type: 'number' },
        { name: 'retyped', value: 1, type: 'json' },
        { name: '__proto__', value: null, type: 'text' },
      ],
      applications: { TEST: 'c', SMTP: 'd' },
    })
    expect(findDifference(from, to)).toEqual({
      fields: [{ name: 'name', from: 'old', to: 'new' }],
      variables: [
        { name: 'gone', change: 'removed', from: 1, to: null, fields: [] },
        { name: 'kept', change: 'changed', from: 1, to: 2, fields: [] },
        { name: 'retyped', change: 'changed', from: 1, to: 1, fields: [{ name: 'type', from: 'number', to: 'json' }] },
        { name: '__proto__', change: 'added', from: null, to: null, fields: [] },
      ],
      applications: [
        { name: 'TEST', change: 'changed', from: 'a', to: 'c' },
        { name: 'HTTP', change: 'removed', from: 'b', to: null },
        { name: 'SMTP', change: 'added', from: null, to: 'd' },
      ],
      blocks: [],
    })
  })

  it('shows a block variable as a field of its own, and only the one that changed', () => {
    const value = (value: unknown) => ({ variableSource: 'Value', value }) as const
    const from = [block('a', { variables: { x: value(1), y: value(1) } })]
    const to = [block('a', { variables: { x: value(1), y: value(2) }, script: 'return 2' })]
    expect(compareBlocks(from, to)).toEqual([
      {
        uniqueBlockId: 'a',
        blockName: 'A',
        change: 'changed',
        fields: [
          { name: 'script', from: 'return 1', to: 'return 2' },
          { name: 'variables.y', from: value(1), to: value(2) },
        ],
      },
    ])
  })

  it('does not call blocks moved because one was added before them', () => {
    const changes = compareBlocks([block('a'), block('b')], [block('new'), block('a'), block('b')])
    expect(changes.map(({ uniqueBlockId, change }) => [uniqueBlockId, change])).toEqual([['new', 'added']])
  })

  it('calls the one block moved that changed its place, with its old and new number', () => {
    const changes = compareBlocks(
      ['a', 'b', 'c', 'd'].map((id) => block(id)),
      ['d', 'a', 'b', 'c'].map((id) => block(id)),
    )
    expect(changes).toEqual([
      { uniqueBlockId: 'd', blockName: 'D', change: 'moved', fields: [{ name: 'no', from: 4, to: 1 }] },
    ])
  })

  it('leaves blocks that did not move in the same order on both sides, and moves no more than needed', () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f']
    fc.assert(
      fc.property(fc.shuffledSubarray(ids), fc.shuffledSubarray(ids), (before, after) => {
        const changes = compareBlocks(
          before.map((id) => block(id)),
          after.map((id) => block(id)),
        )
        const of = (change: string) =>
          changes.filter((item) => item.change === change).map((item) => item.uniqueBlockId)
        expect(of('added')).toEqual(after.filter((id) => !before.includes(id)))
        expect(of('removed')).toEqual(before.filter((id) => !after.includes(id)))
        const stays = (id: string) => before.includes(id) && after.includes(id) && !of('moved').includes(id)
        expect(after.filter(stays)).toEqual(before.filter(stays))
        // Putting any moved block back among those that stayed would break their order.
        for (const id of of('moved')) {
          const withOne = (order: string[]) => order.filter((other) => other === id || stays(other))
          expect(withOne(after)).not.toEqual(withOne(before))
        }
      }),
    )
  })
})
