import { diff3MergeRegions } from 'node-diff3'
import { findAnchors } from './line-anchors.ts'

/** A stretch between anchors takes about so many comparisons; beyond this a person is asked instead. */
const comparisonsMax = 20_000_000

type Lines = readonly string[]
type Sides = readonly [base: Lines, ours: Lines, theirs: Lines]

/** Line ends do not count: neither which ones, nor whether the last line has one. */
function toLines(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}

export function isSameText(one: string, other: string): boolean {
  if (one === other) return true
  // Nearly all texts have one kind of line end, and then no line has to be cut out.
  if (!one.includes('\r') && !other.includes('\r')) return withoutLastEnd(one) === withoutLastEnd(other)
  return isSameList(toLines(one), toLines(other))
}

function withoutLastEnd(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text
}

/**
 * Both sides' changes in one text, with the line ends of `ours`; undefined where changed lines overlap or adjoin. Lines that occur once
 * and on every side divide the text first: the library compares every line with all equal ones, which takes minutes for a long script.
 */
export function mergeLines(base: string, ours: string, theirs: string): string | undefined {
  const sides: Sides = [toLines(base), toLines(ours), toLines(theirs)]
  const merged: string[] = []
  let from = [0, 0, 0]
  const ends = sides.map((lines) => lines.length)
  for (const to of [...findAnchors(...sides), ends]) {
    const stretch = mergeStretch(sides.map((lines, side) => lines.slice(from[side], to[side])) as unknown as Sides)
    if (!stretch) return undefined
    merged.push(...stretch)
    const anchor = sides[0][to[0] as number]
    if (to !== ends && anchor !== undefined) merged.push(anchor)
    from = to.map((position) => position + 1)
  }
  const lineEnd = ours.includes('\r\n') ? '\r\n' : '\n'
  return merged.join(lineEnd) + (/[\r\n]$/.test(theirs) ? lineEnd : '')
}

function mergeStretch([base, ours, theirs]: Sides): Lines | undefined {
  if (isSameList(ours, theirs) || isSameList(theirs, base)) return ours
  if (isSameList(ours, base)) return theirs
  if (countComparisons(base, ours) + countComparisons(base, theirs) > comparisonsMax) return undefined
  const merged: string[] = []
  for (const region of diff3MergeRegions([...ours], [...base], [...theirs])) {
    if ('bufferContent' in region) merged.push(...region.bufferContent)
    else if (isSameList(region.aContent, region.bContent)) merged.push(...region.aContent)
    else return undefined
  }
  return merged
}

/** Every pair of equal lines is looked up in what was found so far. */
function countComparisons(one: Lines, other: Lines): number {
  const counts = new Map<string, number>()
  for (const line of one) counts.set(line, (counts.get(line) ?? 0) + 1)
  const pairs = other.reduce((sum, line) => sum + (counts.get(line) ?? 0), 0)
  return pairs * Math.min(one.length, other.length)
}

function isSameList(one: Lines, other: Lines): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index])
}
