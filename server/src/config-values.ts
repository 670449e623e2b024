// How one setting is read from its text: what does not fit is a sentence that names the variable.
import { isAddressOrCidr } from './lib/address-list.ts'

export class ConfigError extends Error {
  override name = 'ConfigError'
}

export const mebibyte = 1_048_576

export function readMebibytes(name: string, text: string | undefined): number | undefined {
  return text === undefined
    ? undefined
    : readInteger(name, text, { fallback: 0, min: 0, max: 1_000_000_000 }) * mebibyte
}

export type IntegerLimits = { fallback: number; min: number; max: number }

export function readInteger(name: string, text: string | undefined, { fallback, min, max }: IntegerLimits): number {
  if (text === undefined) return fallback
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new ConfigError(`PATCHBAY_${name} must be a whole number from ${min} to ${max}; it is "${text}".`)
  }
  return value
}

export function readUrl(name: string, text: string | undefined, protocols: readonly string[]): string | undefined {
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !protocols.includes(url.protocol)) {
    // The value is not repeated: it may hold a password.
    throw new ConfigError(
      `PATCHBAY_${name} must be an address that starts with ${protocols.map((p) => `${p}//`).join(' or ')}.`,
    )
  }
  return text.replace(/\/+$/, '')
}

function readList(text: string | undefined): readonly string[] {
  return (text ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

export function readCidrs(name: string, text: string | undefined): readonly string[] {
  const entries = readList(text)
  const wrong = entries.find((entry) => !isAddressOrCidr(entry))
  if (wrong !== undefined)
    throw new ConfigError(`PATCHBAY_${name} must list addresses or CIDR ranges; "${wrong}" is neither.`)
  return entries
}

/** In whatever case it is written. */
export function readOneOf<Known extends string>(
  name: string,
  text: string | undefined,
  all: readonly Known[],
  fallback: Known,
): Known {
  if (text === undefined) return fallback
  const found = all.find((known) => known === text.toLowerCase())
  if (!found) throw new ConfigError(`PATCHBAY_${name} must be one of ${all.join(', ')}; it is "${text}".`)
  return found
}
