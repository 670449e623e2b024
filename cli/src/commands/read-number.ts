import { wrongUse } from '../failure.ts'

/** A whole number from an option, or the sentence that says which option is wrong. */
export function readNumber(option: string, text: string, min = 1): number {
  const value = Number(text)
  if (!/^-?\d+$/.test(text) || value < min)
    throw wrongUse(`${option} must be a whole number from ${min} on; it is "${text}".`)
  return value
}
