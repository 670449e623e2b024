import type { Json } from './json.ts'

/**
 * JSON that is handed on as it came. Parsing megabytes of it takes the event loop from everybody for seconds, and most values are only passed from
 * one place to the next. What it holds must be known to be JSON. Very large ones stay bytes: even copying them into a string takes its time.
 */
export class JsonText {
  readonly #content: string | Buffer

  constructor(content: string | Buffer) {
    this.#content = content
  }

  get text(): string {
    return this.#content.toString()
  }

  /** For whoever writes it out. */
  get content(): string | Buffer {
    return this.#content
  }

  /** For whoever does not know of it: slow, but right. */
  toJSON(): Json {
    return JSON.parse(this.text) as Json
  }
}

/** Characters, or bytes, above which JSON stays text and is looked at in a thread. */
export const largeTextMin = 256 * 1024

export function textOf(value: Json | JsonText): string {
  return value instanceof JsonText ? value.text : JSON.stringify(value)
}

export function jsonOf(value: Json | JsonText): Json {
  return value instanceof JsonText ? value.toJSON() : value
}

/** An object of which some members are text already. */
export function textObject(members: { [name: string]: Json | JsonText }): JsonText {
  const parts = Object.entries(members).flatMap(([name, member], index) => {
    const value = member instanceof JsonText ? member.content : JSON.stringify(member)
    return [`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`, value]
  })
  return joinTexts([...parts, '}'])
}

export function textArray(items: readonly (Json | JsonText)[]): JsonText {
  const parts = items.flatMap((item, index) => {
    return [index === 0 ? '' : ',', item instanceof JsonText ? item.content : JSON.stringify(item)]
  })
  return joinTexts(['[', ...parts, ']'])
}

function joinTexts(parts: readonly (string | Buffer)[]): JsonText {
  if (parts.every((part) => typeof part === 'string')) return new JsonText(parts.join(''))
  return new JsonText(Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))))
}
