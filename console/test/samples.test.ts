import { beforeEach, describe, expect, it } from 'vitest'
import {
  bookOf,
  chooseRun,
  countOf,
  keepTest,
  missingBefore,
  newestSample,
  pinSample,
  type Sample,
  sessionBefore,
  unpinSample,
} from '../src/definition/samples.ts'
import type { Block } from '../src/definition/workflow-draft.ts'
import { forgetBrowserData } from '../src/session/browser-data.ts'

/** As much of a browser's storage as pins need. */
class Storage {
  [name: string]: unknown
  getItem(name: string): string | null {
    return (this[name] as string | undefined) ?? null
  }
  setItem(name: string, text: string): void {
    if (text.length > 1000) throw new Error('There is no room.')
    this[name] = text
  }
  removeItem(name: string): void {
    delete this[name]
  }
}

beforeEach(() => {
  Object.defineProperty(globalThis, 'localStorage', { value: new Storage(), configurable: true })
})

const block = (uniqueBlockId: string, ...dataSources: string[]) =>
  ({ uniqueBlockId, blockName: uniqueBlockId, dataSources }) as unknown as Block
const recorded: Sample = { value: 'recorded', origin: { kind: 'run', runNumber: 3 } }
let workflows = 0
const newWorkflow = () => `workflow-${++workflows}`

describe('the sample of a block', () => {
  it('is the recorded one until somebody tests or pins it', () => {
    const id = newWorkflow()
    expect(newestSample(bookOf(id).get(), 'a', recorded)).toEqual(recorded)
    keepTest(bookOf(id), 'a', { value: 'tested' })
    expect(newestSample(bookOf(id).get(), 'a', recorded)?.value).toBe('tested')
    expect(pinSample(id, 'a', 'pinned')).toBe(true)
    expect(newestSample(bookOf(id).get(), 'a', recorded)?.value).toBe('pinned')
    keepTest(bookOf(id), 'a', { value: 'tested again' })
    expect(newestSample(bookOf(id).get(), 'a', recorded)?.value).toBe('tested again')
  })

  it('is the recorded one again when a run is chosen, unless it is pinned', () => {
    const id = newWorkflow()
    keepTest(bookOf(id), 'a', { value: 'tested' })
    pinSample(id, 'b', 'pinned')
    chooseRun(id, 3)
    expect(bookOf(id).get().runNumber).toBe(3)
    expect(newestSample(bookOf(id).get(), 'a', recorded)).toEqual(recorded)
    expect(newestSample(bookOf(id).get(), 'b', recorded)?.value).toBe('pinned')
  })

  it('stays pinned in this browser until it is unpinned', () => {
    const id = newWorkflow()
    pinSample(id, 'a', { no: 7 })
    const stored = Object.entries(localStorage).filter(([name]) => name.endsWith(id))
    expect(stored.map(([, text]) => JSON.parse(text as string))).toEqual([{ a: { no: 7 } }])
    unpinSample(id, 'a')
    expect(Object.keys(localStorage).some((name) => name.endsWith(id))).toBe(false)
  })

  it('is not pinned when the browser has no room for it', () => {
    const id = newWorkflow()
    keepTest(bookOf(id), 'a', { value: 'tested' })
    expect(pinSample(id, 'a', 'x'.repeat(2000))).toBe(false)
    expect(newestSample(bookOf(id).get(), 'a', undefined)?.value).toBe('tested')
  })

  it('leaves the browser at the end of the session, and nothing else does', () => {
    localStorage.setItem('patchbay.theme', 'dark')
    pinSample(newWorkflow(), 'a', 1)
    forgetBrowserData()
    expect(Object.keys(localStorage)).toEqual(['patchbay.theme'])
  })
})

describe('what must be tested before a block', () => {
  const chain = [block('a'), block('b', 'a'), block('c', 'a', 'b'), block('d', 'c'), block('other')]
  const missing = (id: string, ...known: string[]) =>
    missingBefore(chain, id, (source) => known.includes(source)).map(({ uniqueBlockId }) => uniqueBlockId)

  it('comes in the order in which the blocks read from each other', () => {
    expect(missing('d')).toEqual(['a', 'b', 'c'])
    expect(missing('a')).toEqual([])
  })

  it('ends where there is a sample', () => {
    expect(missing('d', 'c')).toEqual([])
    expect(missing('d', 'b')).toEqual(['a', 'c'])
  })

  it('does not hang on a circle, which the service refuses anyway', () => {
    expect(missingBefore([block('x', 'y'), block('y', 'x')], 'x', () => false)).toHaveLength(1)
  })
})

it('hands on what tested blocks left in session.vars', () => {
  const id = newWorkflow()
  keepTest(bookOf(id), 'a', { value: 1, sessionVars: { page: 2 } })
  expect(sessionBefore(bookOf(id).get(), block('b', 'a', 'untested'))).toEqual({ page: 2 })
})

it('counts items as the service does', () => {
  expect([[1, 2], [], { no: 1 }, null, undefined, 0].map(countOf)).toEqual([2, 0, 1, 0, 0, 1])
})
