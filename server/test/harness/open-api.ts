import { Validator } from '@seriousme/openapi-schema-validator'

/** `{ valid: true }`, or what is wrong. */
export async function validate(document: object): Promise<{ valid: boolean; errors?: unknown }> {
  const { valid, errors } = await new Validator().validate(structuredClone(document) as Record<string, unknown>)
  return valid ? { valid } : { valid, errors }
}
