import { afterEach, describe, expect, it } from 'vitest'
import { conflictKey, decide, decisionsAbout, forgetDecisions, toRequest } from '../src/upgrades/decisions.ts'
import type { PreviewItem } from '../src/upgrades/outcome.tsx'

const goal = 'template 2'
const conflict = { uniqueBlockId: 'block', field: 'script' }
const need = { kind: 'variable', name: 'region', message: 'The variable region needs a value.' }

function item(more: Partial<Record<keyof PreviewItem, unknown>> = {}): PreviewItem {
  const made = {
    workflowId: 'workflow',
    revision: 4,
    conflicts: [conflict],
    needs: [need],
    problems: [need.message],
    ...more,
  }
  return made as unknown as PreviewItem
}

afterEach(forgetDecisions)

/** What would be sent after these decisions. */
function decided(...steps: [PreviewItem, Parameters<typeof decide>[2], string?][]) {
  for (const [one, change, about = goal] of steps) decide(about, one, change)
  return toRequest(decisionsAbout(steps.at(-1)?.[2] ?? goal))
}

const choose = (take: 'template' | 'customer') =>
  ({ choice: [conflictKey(conflict), { take }] }) as Parameters<typeof decide>[2]
const give = (value: unknown) => ({ given: [need, value] }) as unknown as Parameters<typeof decide>[2]

describe('decisions about an upgrade', () => {
  it('are sent when every conflict and every need has an answer', () => {
    expect(decided([item(), choose('template')])).toEqual({ resolutions: [], values: [] })
    expect(decided([item(), choose('template')], [item(), give('eu')])).toEqual({
      resolutions: [{ workflowId: 'workflow', revision: 4, uniqueBlockId: 'block', field: 'script', take: 'template' }],
      values: [{ workflowId: 'workflow', variables: { region: 'eu' }, applications: {}, blocks: {} }],
    })
  })

  it('keep the last answer to the same question', () => {
    const { resolutions } = decided(
      [item({ problems: [] }), choose('template')],
      [item({ problems: [] }), choose('customer')],
    )
    expect(resolutions).toEqual([expect.objectContaining({ take: 'customer' })])
  })

  it('begin anew when the workflow has a newer revision', () => {
    expect(decided([item(), choose('template')], [item({ revision: 5 }), give('eu')]).resolutions).toEqual([])
  })

  it('about another version are dropped', () => {
    expect(decided([item(), choose('template')], [item(), give('eu'), 'template 3']).resolutions).toEqual([])
  })

  it('are incomplete again when a value is emptied', () => {
    expect(decided([item({ conflicts: [] }), give('eu')]).values).toHaveLength(1)
    expect(decided([item({ conflicts: [] }), give('')]).values).toEqual([])
  })

  it('send data sources as the list they were written as', () => {
    const sources = { uniqueBlockId: 'block', field: 'dataSources' }
    const change = { choice: [conflictKey(sources), { take: 'value', value: '["a"]' }] } as Parameters<typeof decide>[2]
    expect(decided([item({ conflicts: [sources], problems: [] }), change]).resolutions).toEqual([
      expect.objectContaining({ field: 'dataSources', take: 'value', value: ['a'] }),
    ])
  })

  it('sort what was given by where it belongs', () => {
    const application = { kind: 'application', name: 'SHOP', message: 'a' }
    const block = { kind: 'blockVariable', name: 'limit', uniqueBlockId: 'block', message: 'b' }
    const one = item({ conflicts: [], needs: [application, block], problems: ['a', 'b'] })
    const giving = (what: object, value: unknown) =>
      ({ given: [what, value] }) as unknown as Parameters<typeof decide>[2]
    expect(decided([one, giving(application, 'id')], [one, giving(block, 5)]).values).toEqual([
      { workflowId: 'workflow', variables: {}, applications: { SHOP: 'id' }, blocks: { block: { limit: 5 } } },
    ])
  })
})
