// Where a refusal belongs. The service's sentences name the field they are about; a form says which of its fields goes by which names.

/** The sentence for this field, when it is the one that the refusal names. */
export function refusalAt(sentence: string | undefined, ...names: readonly string[]): string | undefined {
  return sentence !== undefined && names.some((name) => mentions(sentence, name)) ? sentence : undefined
}

/** The sentence for the form as a whole, when it names none of its fields. */
export function refusalBeside(sentence: string | undefined, ...names: readonly string[]): string | undefined {
  return refusalAt(sentence, ...names) === undefined ? sentence : undefined
}

function mentions(sentence: string, name: string): boolean {
  return new RegExp(`(^|[^\\w])${name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}([^\\w]|$)`, 'i').test(sentence)
}
