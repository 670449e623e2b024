import { Validator } from '@seriousme/openapi-schema-validator'

/** `{ valid: true }`, or what is wrong. */
export async function validate(document: object): Promise<{ valid: boolean; errors?: unknown }> {
  const { valid, errors } = await new Validator().validate(structuredClone(document) as Record<string, unknown>)
  return valid ? { valid } : { valid, errors }
}

/** The document with what its references point to in their place. Nothing in it refers to itself. */
export function dereferenced<Document extends object>(document: Document): Document {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve)
    if (value === null || typeof value !== 'object') return value
    const { $ref } = value as { $ref?: unknown }
    if (typeof $ref === 'string') return resolve(at($ref))
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, resolve(inner)]))
  }
  const at = (reference: string) =>
    reference
      .replace('#/', '')
      .split('/')
      .reduce((inside, name) => (inside as Record<string, unknown>)[name], document as unknown)
  return resolve(document) as Document
}
