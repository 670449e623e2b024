import type { WebhookSettingApiDto } from '@patchbay/contract'
import { isAddressOrCidr } from '../../lib/address-list.ts'
import { invalid } from '../../lib/app-error.ts'
import { problemOf } from '../signature/custom-format.ts'
import { usableSecrets } from '../signature/secret.ts'

/** What can be set, as it is stored. */
export type Settings = Omit<WebhookSettingApiDto, 'isActive' | 'isHeld' | 'modifyAccountId' | 'modifyDateTimeUTC'>

export type GivenSettings = Partial<Settings> & { secret?: string }

export const defaultSettings: Settings = {
  ipRestriction: [],
  urlParameters: '',
  strictOrderProcessing: false,
  skipProcessingAfterErrors: 20,
  skipScript: '',
  isBatch: false,
  batchSize: 50,
  updateDateLastRun: false,
  orderKey: '',
  respondWith: 'accepted',
  respondSeconds: 25,
  signature: null,
}

/** Shorter ones are guessed faster than a sender is told about them. */
const secretCharactersMin = 8

/** Refuses what cannot be meant, whatever is stored already; returns the rest as it is stored. */
export function checkGiven(given: GivenSettings): GivenSettings {
  const wrongAddress = given.ipRestriction?.find((entry) => !isAddressOrCidr(entry))
  if (wrongAddress !== undefined)
    throw invalid(`The field ipRestriction must contain IP addresses or CIDR ranges; "${wrongAddress}" is neither.`)
  if (given.secret !== undefined) checkSecret(given.secret)
  if (given.orderKey !== undefined) checkOrderKey(given.orderKey)
  const problem = given.signature ? problemOf(given.signature) : undefined
  if (problem !== undefined) throw invalid(problem)
  return {
    ...given,
    ...(given.ipRestriction && { ipRestriction: given.ipRestriction.map((entry) => entry.trim()) }),
    ...(given.urlParameters !== undefined && { urlParameters: checkUrlParameters(given.urlParameters) }),
  }
}

/** The settings that follow from the stored ones and what was given. */
export function mergeSettings(stored: Settings | undefined, given: GivenSettings): Settings {
  const { secret: _, ...changes } = given
  const merged = { ...(stored ?? defaultSettings), ...changes }
  if (merged.strictOrderProcessing && merged.orderKey !== '') {
    throw invalid(
      'The fields strictOrderProcessing and orderKey cannot be combined: either all requests are kept in order, or those with the same value at orderKey.',
    )
  }
  if (merged.respondWith === 'result' && (merged.isBatch || merged.strictOrderProcessing)) {
    const field = merged.isBatch ? 'isBatch' : 'strictOrderProcessing'
    throw invalid(`The field respondWith cannot be result together with ${field}: the sender would wait for others.`)
  }
  return merged
}

function checkSecret(secret: string): void {
  if (usableSecrets([secret]).length === 0) throw invalid('The field secret must not be empty.')
  if (secret.trim().length < secretCharactersMin)
    throw invalid(`The field secret must have at least ${secretCharactersMin} characters.`)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a header cannot carry.
  if (/[\u0000-\u001f\u007f]/.test(secret)) throw invalid('The field secret must not contain control characters.')
}

function checkUrlParameters(text: string): string {
  const query = text.trim().replace(/^[?&]+/, '')
  if (!/^[\w\-.~!$&'()*+,;=:@/?%[\]]*$/.test(query))
    throw invalid('The field urlParameters must be a query string such as source=shop&region=no, encoded for a URL.')
  return query
}

function checkOrderKey(path: string): void {
  if (path !== '' && path.split('.').some((step) => step.trim() === ''))
    throw invalid('The field orderKey must be a path into the payload such as order.id.')
  if (path.includes('\0')) throw invalid('The field orderKey must not contain a NUL character.')
}
