// Secrets in texts that people or other systems will see.
import { maskedValue } from '@patchbay/contract'
import type { Application, TemplateValues } from '../application.ts'

/** Shorter values would hide half of any text and protect nothing. */
const lengthMin = 6

/** What calls with these values and this token may carry, in the forms in which it travels. */
export function secretValues(application: Application, values: TemplateValues, tokens: readonly string[]): string[] {
  const fields = application.credentialFields.filter((field) => field.Type === 'password')
  const texts = [...fields.map((field) => String(values[field.ShortName] ?? '')), ...tokens]
  return [...new Set(texts.filter((text) => text.length >= lengthMin))]
}

export function maskSecrets(text: string, secrets: readonly string[]): string {
  let masked = text
  for (const secret of secrets) {
    for (const form of new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])) {
      masked = masked.replaceAll(form, maskedValue)
    }
  }
  return masked
}

/** The same for every text inside a JSON value. */
export function maskJson(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return maskSecrets(value, secrets)
  if (typeof value !== 'object' || value === null || secrets.length === 0) return value
  if (Array.isArray(value)) return value.map((item) => maskJson(item, secrets))
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, maskJson(item, secrets)]))
}
