// SQL is written as SQL. A template keeps values apart from text, and templates nest.

/** Anything that can be sent to the server. */
export type Statement = { toQuery(): { name?: string; text: string; values: unknown[] } }

/** A statement of a library's own making. */
export function rawStatement(text: string, values: unknown[]): Statement {
  return { toQuery: () => ({ text, values }) }
}

export class Sql implements Statement {
  readonly strings: readonly string[]
  readonly values: readonly unknown[]
  /** A text that never varies is worth a prepared statement; one composed of parts is not. */
  readonly isFixed: boolean
  #query: { name?: string; text: string; values: unknown[] } | undefined

  constructor(strings: readonly string[], values: readonly unknown[], isFixed: boolean) {
    this.strings = strings
    this.values = values
    this.isFixed = isFixed
  }

  toQuery(): { name?: string; text: string; values: unknown[] } {
    this.#query ??= this.isFixed ? fixedQuery(this) : composedQuery(this)
    return this.#query
  }
}

export function sql(strings: TemplateStringsArray, ...values: unknown[]): Sql {
  return new Sql(strings, values, !values.some((value) => value instanceof Sql))
}

/** A condition that is only there when there is a value for it. */
export function when<Value>(value: Value | undefined | null, part: (value: Value) => Sql): Sql {
  return value === undefined || value === null ? nothing : part(value)
}

export const nothing = new Sql([''], [], false)

// Template strings are the same object at every call of the same place in the code: text and name are made once.
const prepared = new WeakMap<readonly string[], { name: string; text: string }>()
let preparedCount = 0

function fixedQuery(part: Sql): { name: string; text: string; values: unknown[] } {
  let known = prepared.get(part.strings)
  if (!known) {
    const text = part.strings.reduce((all, piece, index) => `${all}$${index}${piece}`)
    known = { name: `s${preparedCount++}`, text }
    prepared.set(part.strings, known)
  }
  return { name: known.name, text: known.text, values: [...part.values] }
}

function composedQuery(whole: Sql): { text: string; values: unknown[] } {
  const values: unknown[] = []
  const write = (part: Sql): string =>
    part.strings.reduce((text, piece, index) => {
      const value = part.values[index - 1]
      return text + (value instanceof Sql ? write(value) : `$${values.push(value)}`) + piece
    })
  return { text: write(whole), values }
}
