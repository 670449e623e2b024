import { describe, expect, it } from 'vitest'
import { findAnchors } from '../../src/engine/merge/line-anchors.ts'
import { isSameText, mergeLines } from '../../src/engine/merge/merge-lines.ts'

const lines = (...all: string[]) => all.join('\n')

describe('texts are the same', () => {
  it.each([
    ['', ''],
    ['', '\n'],
    ['a', 'a\n'],
    ['a\n', 'a\r\n'],
    ['a\nb', 'a\r\nb\r\n'],
    ['a\rb', 'a\nb'],
  ])('whatever their line ends: %j and %j', (one, other) => {
    expect(isSameText(one, other)).toBe(true)
    expect(isSameText(other, one)).toBe(true)
  })

  it.each([
    ['a', 'b'],
    ['a', 'a\n\n'],
    ['a', 'ab'],
    ['a', '\na'],
    ['a\r\nb', 'a\r\nc'],
    ['a\r\nb', 'ab'],
    ['a\n', 'a\r\n\r\n'],
  ])('but not when a line differs: %j and %j', (one, other) => {
    expect(isSameText(one, other)).toBe(false)
    expect(isSameText(other, one)).toBe(false)
  })
})

describe('anchors', () => {
  it('are lines that each side has once, with their places', () => {
    const anchors = findAnchors(['a', 'x', 'b', 'x'], ['b0', 'a', 'b'], ['a', 'b', 'c'])
    expect(anchors).toEqual([
      [0, 1, 0],
      [2, 2, 1],
    ])
  })

  it('are none where a side repeats the line, or lacks it', () => {
    expect(findAnchors(['a'], ['a', 'a'], ['a'])).toEqual([])
    expect(findAnchors(['a'], ['a'], ['a', 'a', 'a'])).toEqual([])
    expect(findAnchors(['a'], ['b'], ['a'])).toEqual([])
    expect(findAnchors(['a'], ['a'], ['b'])).toEqual([])
  })

  it('rise on all sides: of lines that changed places, most stay', () => {
    const [base, moved] = [
      ['a', 'b', 'c', 'd', 'e'],
      ['e', 'a', 'b', 'c', 'd'],
    ]
    const kept = [
      [0, 1],
      [1, 2],
      [2, 3],
      [3, 4],
    ]
    expect(findAnchors(base, moved, base)).toEqual(kept.map(([one, two]) => [one, two, one]))
    expect(findAnchors(base, base, moved)).toEqual(kept.map(([one, two]) => [one, one, two]))
    expect(findAnchors(base, ['c', 'd', 'a', 'b', 'e'], base).map(([place]) => place)).toHaveLength(3)
  })
})

describe('merged lines', () => {
  const base = lines('}', 'one', '}', 'two', '}')

  it('are those of whoever changed them', () => {
    const changed = lines('}', 'one', '}', 'zwei', '}')
    expect(mergeLines(base, changed, base)).toBe(changed)
    expect(mergeLines(base, base, changed)).toBe(changed)
    expect(mergeLines(base, changed, changed)).toBe(changed)
  })

  it('also where no line is there once on all sides', () => {
    const repeated = lines('}', '}', '{', '{', '}', '}')
    const ours = lines('ours', '}', '}', '{', '{', '}', '}')
    const theirs = lines('}', '}', '{', '{', '}', '}', 'theirs')
    expect(mergeLines(repeated, ours, theirs)).toBe(lines('ours', '}', '}', '{', '{', '}', '}', 'theirs'))
  })

  it('also where both sides made the same change within what differs', () => {
    const repeated = lines('{', '{', '}', '}', '{', '{', '}', '}')
    const both = lines('{', '{', 'same', '}', '}', '{', '{', '}', '}')
    expect(mergeLines(repeated, `first\n${both}`, `${both}\nlast`)).toBe(`first\n${both}\nlast`)
  })

  it('begin and end with what they began and ended with', () => {
    expect(mergeLines('a\nb\nc', 'a\nb\nc', 'a\nb')).toBe('a\nb')
    expect(mergeLines('a\nb\nc', 'b\nc', 'a\nb\nc')).toBe('b\nc')
    expect(mergeLines('a\nb\nc\n', 'x\na\nb\nc\n', 'a\nb\nc\ny\n')).toBe('x\na\nb\nc\ny\n')
    expect(mergeLines('', 'a', '')).toBe('a')
    expect(mergeLines('a\n\nb\n', 'a\n\nb\nc\n', 'A\n\nb\n')).toBe('A\n\nb\nc\n')
  })
})
