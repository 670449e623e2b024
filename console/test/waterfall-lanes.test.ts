import { describe, expect, it } from 'vitest'
import { axisTicks, lanesOf, type TimedBlock, type TimedCall } from '../src/runs/waterfall-lanes.ts'

const startMs = Date.parse('2026-01-01T10:00:00Z')
const run = { startMs, endMs: startMs + 5000 }
const at = (ms: number) => new Date(startMs + ms).toISOString()

function block(id: string, from: number | null, to: number | null, sources: string[] = []): TimedBlock {
  return {
    uniqueBlockId: id,
    blockName: `Block ${id}`,
    dataSources: sources,
    status: 'Ready',
    startDateTimeUTC: from === null ? null : at(from),
    endDateTimeUTC: to === null ? null : at(to),
  }
}

const lanes = (blocks: TimedBlock[], calls: [string, TimedCall[]][] = []) => lanesOf(blocks, new Map(calls), run)
const stretches = (blocks: TimedBlock[], no: number) =>
  lanes(blocks)[no]?.stretches.map(({ kind, fromMs, toMs }) => [kind, fromMs, toMs])

describe('lanes of a run', () => {
  it('count from its start', () => {
    expect(stretches([block('a', 0, 1200)], 0)).toEqual([['script', 0, 1200]])
  })

  it('show waiting from the end of the last source to the start', () => {
    const blocks = [block('a', 0, 1000), block('b', 0, 1500), block('c', 2000, 2500, ['a', 'b'])]
    expect(stretches(blocks, 2)).toEqual([
      ['waiting', 1500, 2000],
      ['script', 2000, 2500],
    ])
  })

  it('of a block that runs reach to now', () => {
    expect(stretches([block('a', 1000, null)], 0)).toEqual([
      ['waiting', 0, 1000],
      ['script', 1000, 5000],
    ])
    expect(lanes([block('a', 1000, null)])[0]?.durationMs).toBe(4000)
  })

  it('of a block that has not begun, or was taken over from an earlier run, are empty', () => {
    const [pending, taken] = lanes([block('a', null, null), block('b', -60_000, -59_000)])
    expect(pending).toMatchObject({ durationMs: undefined, stretches: [] })
    expect(taken).toMatchObject({ durationMs: undefined, stretches: [] })
  })

  it('have the calls of their block, also one without an answer', () => {
    const call = (from: number, ms: number | null): TimedCall => ({
      method: 'GET',
      url: 'https://shop.example/orders',
      startDateTimeUTC: at(from),
      durationInMilliSec: ms,
    })
    const [lane] = lanes([block('a', 0, 3000)], [['a', [call(100, 200), call(400, null)]]])
    expect(lane?.stretches.slice(1)).toEqual([
      { kind: 'call', fromMs: 100, toMs: 300, label: 'GET https://shop.example/orders' },
      { kind: 'call', fromMs: 400, toMs: 400, label: 'GET https://shop.example/orders' },
    ])
  })

  it('never run backwards when clocks of two machines differ', () => {
    const [script] = lanes([block('a', 1000, 990)])[0]?.stretches.filter(({ kind }) => kind === 'script') ?? []
    expect(script?.toMs).toBeGreaterThanOrEqual(script?.fromMs as number)
  })
})

describe('the axis', () => {
  it.each([
    [0, [0]],
    [5, [0, 1, 2, 3, 4, 5]],
    [900, [0, 200, 400, 600, 800]],
    [61_000, [0, 20_000, 40_000, 60_000]],
  ])('of %i ms has round steps, at most six', (totalMs, ticks) => {
    expect(axisTicks(totalMs)).toEqual(ticks)
  })

  it('never has more than six marks', () => {
    for (let ms = 1; ms < 1e9; ms = Math.ceil(ms * 1.3)) expect(axisTicks(ms).length).toBeLessThanOrEqual(6)
  })
})
