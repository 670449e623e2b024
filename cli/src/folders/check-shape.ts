// A small reading of JSON Schema, as far as our two schemas use it: what an editor underlines is what the command refuses.
export type Shape = {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Shape | boolean
  readonly items?: Shape
  readonly minLength?: number
  readonly pattern?: string
  readonly [keyword: string]: unknown
}

export type Mismatch = { path: (string | number)[]; sentence: string }

export function checkShape(shape: Shape, value: unknown, path: (string | number)[] = []): Mismatch | undefined {
  const types = shape.type === undefined ? undefined : [shape.type].flat()
  const name = path.length === 0 ? 'The file' : path.join('.')
  if (types && !types.includes(typeOf(value)) && !(types.includes('number') && typeOf(value) === 'integer')) {
    return {
      path,
      sentence: `${name} must be ${types.map(withArticle).join(' or ')}, but it is ${withArticle(typeOf(value))}.`,
    }
  }
  if (typeof value === 'string' && shape.minLength !== undefined && value.length < shape.minLength) {
    return { path, sentence: `${name} must not be empty.` }
  }
  if (typeof value === 'string' && shape.pattern !== undefined && !new RegExp(shape.pattern, 'u').test(value)) {
    return { path, sentence: `${name} must match ${shape.pattern}.` }
  }
  if (Array.isArray(value))
    return first(value.entries(), ([no, item]) => shape.items && checkShape(shape.items, item, [...path, no]))
  if (typeOf(value) === 'object') return checkObject(shape, value as Record<string, unknown>, path)
  return undefined
}

function checkObject(shape: Shape, value: Record<string, unknown>, path: (string | number)[]): Mismatch | undefined {
  const missing = shape.required?.find((name) => !Object.hasOwn(value, name))
  if (missing !== undefined) return { path, sentence: `${[...path, missing].join('.')} is missing.` }
  return first(Object.entries(value), ([name, item]) => {
    const known = shape.properties && Object.hasOwn(shape.properties, name) ? shape.properties[name] : undefined
    if (known) return checkShape(known, item, [...path, name])
    if (shape.additionalProperties === false) {
      const expected = Object.keys(shape.properties ?? {}).join(', ')
      return { path: [...path, name], sentence: `Unknown field "${name}". Expected: ${expected}.` }
    }
    return typeof shape.additionalProperties === 'object'
      ? checkShape(shape.additionalProperties, item, [...path, name])
      : undefined
  })
}

function first<Item>(items: Iterable<Item>, check: (item: Item) => Mismatch | undefined): Mismatch | undefined {
  for (const item of items) {
    const found = check(item)
    if (found) return found
  }
  return undefined
}

function typeOf(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

function withArticle(type: string): string {
  if (type === 'null') return 'empty'
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
}
