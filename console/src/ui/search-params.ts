// Readers for what stands in the address. What does not fit is left out, never an error: people edit addresses.
type Given = Record<string, unknown>

export function textIn<Name extends string>(search: Given, ...names: Name[]): { [Key in Name]?: string | undefined } {
  return pick(names, (name) => (typeof search[name] === 'string' && search[name] !== '' ? search[name] : undefined))
}

export function isTrue<Name extends string>(search: Given, ...names: Name[]): { [Key in Name]?: true | undefined } {
  return pick(names, (name) => (search[name] === 'true' || search[name] === true ? true : undefined))
}

export function numberIn<Name extends string>(search: Given, ...names: Name[]): { [Key in Name]?: number | undefined } {
  return pick(names, (name) => {
    const value = Number(search[name])
    return Number.isSafeInteger(value) && value > 0 ? value : undefined
  })
}

function pick<Name extends string, Value>(
  names: Name[],
  read: (name: Name) => Value | undefined,
): { [Key in Name]?: Value | undefined } {
  const entries = names.map((name) => [name, read(name)] as const).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [Key in Name]?: Value | undefined }
}
