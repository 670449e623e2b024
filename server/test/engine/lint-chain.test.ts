import { describe, expect, it } from 'vitest'
import type { ChainBlock } from '../../src/engine/chain/chain.ts'
import { lintChain } from '../../src/engine/lint/lint-chain.ts'
import { block } from './chain-samples.ts'

const lint = (...chain: ChainBlock[]) => lintChain(chain, (name) => name === 'known')

describe('branches that exclude each other', () => {
  const join = (one: string, other: string, needs?: 'any') =>
    lint(
      block('s'),
      block('a', ['s'], { runWhen: one }),
      block('b', ['s'], { runWhen: other }),
      block('j', ['a', 'b'], needs ? { needs } : {}),
    )
  const warning =
    'Block "Block j" needs all of "Block a" and "Block b", which exclude each other, so it never runs. Set needs to any.'

  it.each([
    ['Datasource[0].paid', '!Datasource[0].paid'],
    ['Datasource[0].paid', '!( Datasource[0].paid )'],
    ['Datasource[0].total > 100', 'Datasource[0].total <= 100'],
    ['Datasource[0].kind === "a"', "Datasource[0].kind !== 'a'"],
    ['Datasource[0].kind === "a"', 'Datasource[0].kind === "b"'],
    ['variables.on && Datasource[0].x', '!Datasource[0].x'],
    ['(run.input.a == 1)', 'run.input.a == 2'],
    ['!fx.known(Datasource[0])', 'fx.known(Datasource[0])'],
  ])('%s and %s', (one, other) => {
    expect(join(one, other)).toEqual([warning])
    expect(join(other, one)).toEqual([warning])
    expect(join(one, other, 'any')).toEqual([])
  })

  it.each([
    ['Datasource[0].a', '!Datasource[0].b'],
    ['Datasource[0].total > 100', 'Datasource[0].total <= 200'],
    ['Datasource[0].a || variables.b', '!Datasource[0].a'],
    ['Datasource[0].kind === variables.a', 'Datasource[0].kind === variables.b'],
    ['Datasource[0].a', 'Datasource[0].a'],
    ['!a === b', 'a === b'],
  ])('not %s and %s', (one, other) => expect(join(one, other)).toEqual([]))

  it('of different sources do not', () => {
    const chain = [
      block('s'),
      block('t'),
      block('a', ['s'], { runWhen: 'Datasource[0].x' }),
      block('b', ['t'], { runWhen: '!Datasource[0].x' }),
      block('j', ['a', 'b']),
    ]
    expect(lint(...chain)).toEqual([])
  })

  it('are found through the blocks between, and a handler excludes what needs its source', () => {
    const far = lint(
      block('s'),
      block('a', ['s'], { runWhen: 'Datasource[0].x' }),
      block('a2', ['a']),
      block('b', ['s'], { runWhen: '!Datasource[0].x' }),
      block('j', ['a2', 'b']),
    )
    expect(far).toEqual([expect.stringContaining('needs all of "Block a2" and "Block b"')])
    const handled = lint(block('s'), block('a', ['s']), block('h', ['s'], { needs: 'failed' }), block('j', ['a', 'h']))
    expect(handled).toEqual([expect.stringContaining('needs all of "Block a" and "Block h"')])
  })
})

describe('a handler', () => {
  const warning = 'Block "Block h" is a handler that can never run: none of its data sources can fail.'
  const handler = (source: Partial<ChainBlock>) => lint(block('s', [], source), block('h', ['s'], { needs: 'failed' }))

  it('can never run when its source does nothing or is always skipped', () => {
    expect(handler({ script: ' ' })).toEqual([warning])
    expect(handler({ runWhen: 'false' })).toEqual([warning])
    expect(handler({ script: '', wait: { until: 'nobody' } })).toEqual([])
    expect(handler({})).toEqual([])
  })

  it('can never run when its source needs what is always skipped', () => {
    const chain = [block('s', [], { runWhen: '0' }), block('t', ['s']), block('h', ['t'], { needs: 'failed' })]
    expect(lint(...chain)).toEqual([warning])
  })
})

describe('a script', () => {
  it('that never uses its item', () => {
    const warning = 'Block "Block a" runs once for each item, but its script never uses item.'
    expect(lint(block('a', [], { forEach: {} }))).toEqual([warning])
    expect(lint(block('a', [], { forEach: { batchSize: 5 } }))).toEqual([warning.replace('uses item.', 'uses items.')])
    for (const script of ['return item', 'return items[0]', 'return itemKey', ''])
      expect(lint(block('a', [], { forEach: {}, script }))).toEqual([])
  })

  it('that calls a function nobody knows', () => {
    const warning = 'Block "Block a" calls fx.foo, which does not exist.'
    for (const script of ['fx.foo(1)', 'fx["foo"]( 2 ); fx.foo()', 'await fx?.foo()'])
      expect(lint(block('a', [], { script }))).toEqual([warning])
    expect(lint(block('a', [], { runWhen: 'fx.foo(1)' }))).toEqual([warning])
    for (const script of [
      'fx.known(1)',
      '// fx.foo(1)',
      '/* fx.foo() */',
      'const fx = { foo() {} }; fx.foo()',
      'fx.foo',
    ])
      expect(lint(block('a', [], { script }))).toEqual([])
  })
})
