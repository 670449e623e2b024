import { describe, expect, test } from 'vitest'
import { makeChain, patchChain } from '../../src/engine/chain/chain-patch.ts'
import { listExpressions, scriptsToCheck } from '../../src/engine/chain/expressions.ts'
import type { FlowFields } from '../../src/engine/chain/flow-fields.ts'
import { findFlowProblems } from '../../src/engine/chain/flow-problems.ts'
import { findDifference } from '../../src/engine/compare/difference.ts'
import { mergeDefinitions } from '../../src/engine/merge/merge-definitions.ts'
import { acceptedOf, block, definition, refusalOf } from './chain-samples.ts'

const context = (isBound: boolean) => ({
  isBound,
  workflowVariables: new Set<string>(),
  blockTemplates: new Map(),
  newBlockId: () => 'new',
})
const problemsOf = (fields: FlowFields, dataSources: string[] = []) =>
  findFlowProblems([block('a'), block('b', [], { forEach: {} }), block('x', dataSources, fields)])
    .map(({ message }) => message)
    .join(' ')

describe('a request', () => {
  const stored = block('a', [], { runWhen: 'true', retry: { times: 2 } })

  test('leaves alone what it does not name, takes away what is null, and keeps the rest as given', () => {
    const given = { uniqueBlockId: 'a', runWhen: null, forEach: { concurrency: 3 }, needs: 'all' as const }
    const [changed] = acceptedOf(patchChain([stored], [given], context(false)))
    expect(changed).toMatchObject({ retry: { times: 2 }, forEach: { concurrency: 3 }, needs: 'all' })
    expect(changed).not.toHaveProperty('runWhen')
    expect(changed?.isCustomized).toBe(true)
  })

  test('that names every field as it is changes nothing', () => {
    const given = { uniqueBlockId: 'a', runWhen: 'true', retry: { times: 2 }, needs: null, wait: null }
    expect(acceptedOf(patchChain([stored], [given], context(true)))[0]).toBe(stored)
  })

  test('may not change the structure of a workflow that follows its template', () => {
    expect(refusalOf(patchChain([stored], [{ uniqueBlockId: 'a', runWhen: 'false' }], context(true)))).toBe(
      'The runWhen of block "Block a" (a) comes from the template. To change it, set unboundFromTemplate to true.',
    )
    const each = block('a', [], { forEach: { items: 'Datasource[0]' } })
    expect(refusalOf(patchChain([each], [{ uniqueBlockId: 'a', forEach: { items: '[]' } }], context(true)))).toContain(
      'The forEach of block',
    )
  })

  test('may change there what is the customer’s', () => {
    const each = block('a', [], { forEach: { items: 'Datasource[0]', concurrency: 2 } })
    const given = {
      uniqueBlockId: 'a',
      retry: { times: 1 },
      onError: 'continue' as const,
      timeoutSeconds: 30,
      forEach: { items: 'Datasource[0]', concurrency: 9, maxFailures: '10%', stopAfter: 0 },
    }
    const [changed] = acceptedOf(patchChain([each], [given], context(true)))
    expect(changed).toMatchObject({ retry: { times: 1 }, onError: 'continue', timeoutSeconds: 30 })
    expect(changed?.forEach).toEqual(given.forEach)
  })

  test('may add a block without a script that waits or runs another workflow', () => {
    const wait = { blockName: 'Pause', wait: { seconds: 5 } }
    expect(acceptedOf(makeChain([wait], context(false)))[0]).toMatchObject({ script: '', wait: { seconds: 5 } })
    expect(refusalOf(makeChain([{ blockName: 'Nothing' }], context(false)))).toContain('needs a blockTemplateId')
  })
})

test.each<[string, FlowFields, string[], string]>([
  ['any without data sources', { needs: 'any' }, [], 'has needs "any" but no data source'],
  ['failed without data sources', { needs: 'failed' }, [], 'has needs "failed" but no data source'],
  ['the same items as a stranger', { forEach: { sameItemsAs: 'b' } }, ['a'], 'not one of its data sources'],
  ['the same items as a block without', { forEach: { sameItemsAs: 'a' } }, ['a'], 'a block without forEach'],
  ['same items and a list', { forEach: { sameItemsAs: 'b', items: '[]' } }, ['b'], 'cannot have items as well'],
  ['a percentage over 100', { forEach: { maxFailures: '101%' } }, ['a'], 'a text like "10%"'],
  ['a word as a threshold', { forEach: { maxFailures: 'some' } }, ['a'], 'a text like "10%"'],
  ['two kinds of waiting', { wait: { seconds: 1, until: 'x' } }, [], 'needs exactly one of'],
  ['no kind of waiting', { wait: {} }, [], 'needs exactly one of'],
  ['a key of a time', { wait: { seconds: 1, key: 'x' } }, [], 'which only events have'],
  ['a timeout of a time', { wait: { seconds: 1, timeoutHours: 1 } }, [], 'which only events and approval have'],
  ['a wait and another workflow', { wait: { seconds: 1 }, subWorkflow: { workflowId: 'w' } }, [], 'a block of its own'],
  [
    'batches that wait',
    { wait: { seconds: 1 }, forEach: { batchSize: 2 } },
    ['a'],
    'batchSize of its forEach must be 1',
  ],
])('refuses %s', (_name, fields, dataSources, sentence) => {
  expect(problemsOf(fields, dataSources)).toContain(sentence)
})

test.each<[string, FlowFields, string[]]>([
  ['all without data sources', { needs: 'all' }, []],
  ['the same items as a data source, with lanes of its own', { forEach: { sameItemsAs: 'b', concurrency: 4 } }, ['b']],
  ['thresholds', { forEach: { maxFailures: '100%' } }, ['a']],
  ['a wait for events', { wait: { events: ['paid'], key: 'item.id', timeoutHours: 2, onTimeout: 'continue' } }, []],
])('accepts %s', (_name, fields, dataSources) => {
  expect(problemsOf(fields, dataSources)).toBe('')
})

test('a difference shows each field as one', () => {
  const side = (fields: FlowFields) => ({
    fields: {},
    variables: [],
    applications: {},
    chain: [block('a', [], fields)],
  })
  const { blocks } = findDifference(side({ retry: { times: 1 } }), side({ retry: { times: 2 }, needs: 'all' }))
  expect(blocks[0]?.fields).toEqual([
    { name: 'retry', from: { times: 1 }, to: { times: 2 } },
    { name: 'needs', from: null, to: 'all' },
  ])
})

describe('an upgrade', () => {
  const merge = (base: FlowFields, ours: FlowFields, theirs: FlowFields) => {
    const of = (fields: FlowFields) => definition([block('a', [], fields)])
    const { merged, conflicts } = mergeDefinitions({ base: of(base), ours: of(ours), theirs: of(theirs) })
    return { block: merged.chain[0], fields: conflicts.map(({ field }) => field) }
  }

  test('takes what one side changed, also when it took the field away', () => {
    const { block: merged, fields } = merge(
      { runWhen: 'a', retry: { times: 1 }, onError: 'stop' },
      { runWhen: 'a', retry: { times: 5 }, onError: 'stop' },
      { retry: { times: 1 }, onError: 'stop', needs: 'all' },
    )
    expect(fields).toEqual([])
    expect(merged).toMatchObject({ retry: { times: 5 }, onError: 'stop', needs: 'all' })
    expect(merged).not.toHaveProperty('runWhen')
  })

  test('is a conflict where both changed one field', () => {
    expect(merge({ retry: { times: 1 } }, { retry: { times: 2 } }, { retry: { times: 3 } }).fields).toEqual(['retry'])
  })

  test('merges what a customer may change of forEach one by one', () => {
    const { block: merged, fields } = merge(
      { forEach: { items: 'a', concurrency: 1, stopAfter: 5 } },
      { forEach: { items: 'a', concurrency: 8, stopAfter: 5 } },
      { forEach: { items: 'b', concurrency: 1, stopAfter: 7 } },
    )
    expect(fields).toEqual([])
    expect(merged?.forEach).toEqual({ items: 'b', concurrency: 8, stopAfter: 7 })
    const both = merge(
      { forEach: { concurrency: 1 } },
      { forEach: { concurrency: 2 } },
      { forEach: { concurrency: 3, items: 'x' } },
    )
    expect(both.fields).toEqual(['forEach.concurrency'])
    expect(both.block?.forEach).toEqual({ concurrency: 2, items: 'x' })
  })
})

describe('expressions', () => {
  test('are found in every field', () => {
    const fields: FlowFields = {
      runWhen: '1',
      forEach: { items: '2', key: '3' },
      subWorkflow: { workflowId: 'w', input: '4' },
      wait: { seconds: '5', until: '6', key: '7', approval: { title: '8', message: '9', to: '10' } },
      retry: { times: 1, when: '11' },
    }
    expect(listExpressions(block('a', [], fields)).map(({ source }) => source)).toEqual(
      Array.from({ length: 11 }, (_, index) => String(index + 1)),
    )
    expect(listExpressions(block('a', [], { wait: { seconds: 5 } }))).toEqual([])
  })

  const compiles = (source: string) =>
    scriptsToCheck(source).every((script) => {
      try {
        new Function(script)
        return true
      } catch {
        return false
      }
    })

  test.each(['1', '{ a: 1 }', 'a, b', 'x // tail', '(() => { return 1 })()', 'a\n  ? b : c'])(
    'accepts %s',
    (source) => {
      expect(compiles(source)).toBe(true)
    },
  )

  test.each(['', ' ', '1; 2', '1) }); (function () { return (1', 'await x', 'return 1', '...a', '1 /*', '`'])(
    'refuses %s',
    (source) => {
      expect(compiles(source)).toBe(false)
    },
  )
})
