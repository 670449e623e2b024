// Whether two conditions can both hold, judged by their texts alone: what is not surely a contradiction is none.

/** A condition as text that compares: without spaces, brackets around it, or the choice between kinds of quotes. */
export function normalize(expression: string): string {
  const parts = expression.split(/("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)/)
  const text = parts.map((part, index) => (index % 2 === 1 ? quote(part) : part.replaceAll(/\s+/g, ''))).join('')
  return unwrap(text)
}

/** What must hold for the whole to hold. */
export function conjunctsOf(normalized: string): string[] {
  return splitTop(normalized, '||').length > 1 ? [normalized] : splitTop(normalized, '&&').map(unwrap)
}

const falsy = new Set(['false', '0', 'null', 'undefined', 'NaN', '""', '!true', '!1'])

export function isNeverTrue(normalized: string): boolean {
  return conjunctsOf(normalized).some((part) => falsy.has(part))
}

const opposites: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '==': '!=',
  '!=': '==',
  '<': '>=',
  '>=': '<',
  '>': '<=',
  '<=': '>',
}

export function contradict(one: string, other: string): boolean {
  if (negationOf(one) === other || negationOf(other) === one) return true
  const [a, b] = [readComparison(one), readComparison(other)]
  if (!a || !b || a.left !== b.left) return false
  if (a.right === b.right) return opposites[a.operator] === b.operator
  const areEqualities = /^={2,3}$/.test(a.operator) && /^={2,3}$/.test(b.operator)
  return areEqualities && isLiteral(a.right) && isLiteral(b.right)
}

function negationOf(text: string): string | undefined {
  if (!text.startsWith('!') || text.startsWith('!=')) return undefined
  const inner = text.slice(1)
  // Of `!a && b` only the first is denied, and of `!a === b` too.
  return unwrap(inner) !== inner || /^(?:[\w$.[\]?()]|"[^"]*")+$/.test(inner) ? unwrap(inner) : undefined
}

function readComparison(text: string): { left: string; operator: string; right: string } | undefined {
  if (/&&|\|\||\?[^.]|=>/.test(text)) return undefined
  const [, left, operator, right] = /^([^=!<>]+)(===|!==|==|!=|>=|<=|>|<)([^=!<>]+)$/.exec(text) ?? []
  return left && operator && right ? { left, operator, right } : undefined
}

function isLiteral(text: string): boolean {
  return /^("[^"]*"|-?\d+(\.\d+)?|true|false|null)$/.test(text)
}

function quote(literal: string): string {
  const inner = literal.slice(1, -1)
  return /["'`\\$]/.test(inner) ? literal : `"${inner}"`
}

/** Without brackets that go around the whole. */
function unwrap(text: string): string {
  let bare = text
  while (bare.startsWith('(') && closingOf(bare) === bare.length - 1) bare = bare.slice(1, -1)
  return bare
}

function closingOf(text: string): number {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth++
    if (text[at] === ')' && --depth === 0) return at
  }
  return -1
}

function splitTop(text: string, operator: string): string[] {
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (let at = 0; at < text.length; at++) {
    if ('([{'.includes(text[at] as string)) depth++
    if (')]}'.includes(text[at] as string)) depth--
    if (depth !== 0 || !text.startsWith(operator, at)) continue
    parts.push(text.slice(from, at))
    at += operator.length - 1
    from = at + 1
  }
  return [...parts, text.slice(from)]
}
