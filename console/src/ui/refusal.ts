// Where a refusal belongs. The service's sentences name the field they are about; a form says which of its fields goes by which names.

type Placed<Field extends string> = {
  /** The sentence for each field that it names. */
  at: { [Name in Field]?: string }
  /** The sentence for the form as a whole, when it names none of its fields. */
  beside: string | undefined
}

export function placeRefusal<Field extends string>(
  sentence: string | undefined,
  fields: Readonly<Record<Field, readonly string[]>>,
): Placed<Field> {
  const named = (Object.keys(fields) as Field[]).filter(
    (field) => sentence !== undefined && fields[field].some((name) => mentions(sentence, name)),
  )
  const at = Object.fromEntries(named.map((field) => [field, sentence])) as Placed<Field>['at']
  return { at, beside: named.length === 0 ? sentence : undefined }
}

function mentions(sentence: string, name: string): boolean {
  return new RegExp(`(^|[^\\w])${name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}([^\\w]|$)`, 'i').test(sentence)
}
