/**
 * What a script's names hold, judged from samples: `Datasource[0].` completes with the fields of the first source's sample, and so do names that
 * plainly stand for a part of it (`const order = Datasource[0]`, `for (const order of orders)`, `orders.map((order) => …)`).
 */
export type SampleRoots = Readonly<Record<string, unknown>>

const wayText = String.raw`[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*|\[\d+\])*`
const assigned = new RegExp(
  String.raw`\b(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*=\s*(?:await\s+)?(${wayText})\s*(?:;|\n|$)`,
  'g',
)
const unpacked = new RegExp(String.raw`\b(?:const|let|var)\s+\[([^\]=]+)\]\s*=\s*(${wayText})`, 'g')
const walked = new RegExp(String.raw`\bfor\s*\(\s*(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s+of\s+(${wayText})\s*\)`, 'g')
const visited = new RegExp(
  String.raw`(${wayText})\??\.(?:map|filter|forEach|find|findIndex|some|every|flatMap)\(\s*(?:async\s*)?\(?\s*([A-Za-z_$][\w$]*)`,
  'g',
)
/** Names may stand for names that stand for names; nobody writes longer chains. */
const roundsMax = 4

/** The value at a way such as `Datasource[0].lines`, or undefined where the sample does not reach. */
export function valueAt(roots: SampleRoots, way: string): unknown {
  const [root, ...steps] = way.replaceAll('?.', '.').match(/[A-Za-z_$][\w$]*|\d+/g) ?? []
  if (root === undefined || !Object.hasOwn(roots, root)) return undefined
  return steps.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, step)
        ? (value as Record<string, unknown>)[step]
        : undefined,
    roots[root],
  )
}

/** The roots together with the script's own names for parts of them. */
export function namesIn(script: string, roots: SampleRoots): SampleRoots {
  let known: SampleRoots = roots
  for (let round = 0; round < roundsMax; round++) {
    const found = { ...known }
    for (const [, name, way] of script.matchAll(assigned)) note(found, name, valueAt(known, way as string))
    for (const [, names, way] of script.matchAll(unpacked)) {
      const value = valueAt(known, way as string)
      if (!Array.isArray(value)) continue
      for (const [index, name] of (names as string).split(',').entries()) note(found, name.trim(), value[index])
    }
    for (const [, name, way] of script.matchAll(walked)) note(found, name, firstOf(valueAt(known, way as string)))
    for (const [, way, name] of script.matchAll(visited)) note(found, name, firstOf(valueAt(known, way as string)))
    if (Object.keys(found).length === Object.keys(known).length) return found
    known = found
  }
  return known
}

/** The fields of what stands before the last dot, with a short text of each value. */
export function fieldsOf(value: unknown): { name: string; preview: string }[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.entries(value)
    .filter(([name]) => isName(name))
    .map(([name, field]) => ({ name, preview: previewOf(field) }))
}

export function previewOf(value: unknown): string {
  if (Array.isArray(value)) return `list of ${value.length}`
  if (typeof value === 'object' && value !== null) return `{ ${Object.keys(value).slice(0, 4).join(', ')} }`
  const text = JSON.stringify(value) ?? 'null'
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

function isName(text: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(text)
}

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : undefined
}

function note(found: Record<string, unknown>, name: string | undefined, value: unknown): void {
  if (name && value !== undefined && !Object.hasOwn(found, name)) found[name] = value
}
