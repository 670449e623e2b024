import { expect, it } from 'vitest'
import { findBlock, runScript } from './run-template.ts'
import { startStandIn } from './stand-in.ts'

const run = async (name: string, sources: unknown[], variables: Record<string, unknown>) =>
  (await runScript(findBlock(undefined, name).script, sources, variables, { api: null })).result

it('Mapper builds fields from paths, constants, templates and functions', async () => {
  const fields = [
    { to: 'name', template: '{{first}} {{last}}', fn: 'titleCase' },
    { to: 'address.city', from: 'city', default: 'Oslo' },
    { to: 'amount', from: 'total', fn: 'roundTo', args: [1] },
    { to: 'kind', value: 'person' },
    { to: 'missing' },
  ]
  const mapped = { name: 'Ada Lovelace', address: { city: 'Oslo' }, amount: 1.3, kind: 'person', missing: null }
  const source = { first: 'ada', last: 'LOVELACE', total: 1.25 }
  expect(await run('Mapper', [[source]], { fields })).toEqual([mapped])
  expect(await run('Mapper', [source], { fields, keepOthers: true })).toEqual({ ...source, ...mapped })
  await expect(run('Mapper', [[]], { fields: [{ to: 'x', fn: 'constructor' }] })).rejects.toThrow(
    'no function "constructor"',
  )
  await expect(run('Mapper', [[]], { fields: [{ from: 'x' }] })).rejects.toThrow('needs "to"')
})

it('Filter compares numbers, moments, text and lists', async () => {
  const items = [
    { n: '9', at: '2025-01-01T01:00:00+02:00', tags: ['a'], s: 'Open' },
    { n: 10, at: '2025-01-01T00:00:00Z', tags: [], s: 'paid' },
  ]
  const kept = async (field: string, operator: string, value?: unknown) =>
    ((await run('Filter', [items], { conditions: [{ field, operator, value }], match: 'all' })) as typeof items).map(
      (item) => items.findIndex((one) => one.s === item.s),
    )
  expect(await kept('n', 'greater', 9)).toEqual([1])
  expect(await kept('at', 'less', '2025-01-01T00:00:00Z')).toEqual([0])
  expect(await kept('tags', 'contains', 'a')).toEqual([0])
  expect(await kept('tags', 'empty')).toEqual([1])
  expect(await kept('s', 'in', ['open', 'closed'])).toEqual([0])
  expect(await kept('none', 'less', 5)).toEqual([])
  await expect(kept('n', 'toString')).rejects.toThrow('not an operator')
})

it('Join pairs the lists of two data sources', async () => {
  const joined = await run('Join', [[{ id: 1 }, { id: 2 }], [{ ref: '1' }]], {
    leftKey: 'id',
    rightKey: 'ref',
    kind: 'left',
    as: 'x',
  })
  expect(joined).toEqual([
    { id: 1, x: { ref: '1' } },
    { id: 2, x: null },
  ])
  await expect(run('Join', [[]], { leftKey: 'id' })).rejects.toThrow('two data sources')
})

it('Stop when empty ends the run only when there is nothing', async () => {
  const { script } = findBlock(undefined, 'Stop when empty')
  expect((await runScript(script, [[]], { moveDateLastRun: true }, { api: null })).stopped).toBe(true)
  expect((await runScript(script, [null], { moveDateLastRun: false }, { api: null })).stopped).toBe(false)
  expect(await runScript(script, [[1]], {}, { api: null })).toMatchObject({ stopped: null, result: [1] })
})

it('HTTP call fills address and body from each item, as data', async () => {
  await using standIn = await startStandIn(({ json }) => ({ json: json() }))
  const variables = {
    verb: 'PUT',
    requestUrl: 'items/{{id}}',
    data: { whole: '{{n}}', text: 'no {{n}}' },
    forEach: true,
  }
  const { result } = await runScript(findBlock('HTTP', 'HTTP call').script, [[{ id: 'a/b', n: 1 }]], variables, {
    api: standIn.api,
  })
  expect(result).toEqual([{ whole: 1, text: 'no 1' }])
  expect(standIn.received[0]).toMatchObject({ method: 'PUT', path: 'items/a/b' })
})
