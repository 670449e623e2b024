import { wrongUse } from '../failure.ts'

/** As many as one page of a list may hold. */
export const listMax = 1000

/** A whole number from an option, or the sentence that says which option is wrong. */
export function readNumber(option: string, text: string, max = Number.MAX_SAFE_INTEGER): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= 1 && value <= max) return value
  const range = max === Number.MAX_SAFE_INTEGER ? '1 or more' : `between 1 and ${max}`
  throw wrongUse(`${option} must be a whole number, ${range}; "${text}" is not.`)
}
