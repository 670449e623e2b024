import { isDeepStrictEqual } from 'node:util'
import type { Application } from '../format/definition.ts'

/**
 * Counts on when the application would send what customers entrusted to it elsewhere, or show it: another address, another way of
 * proving who calls, or a field that is secret no more.
 */
export function credentialEpochOf(before: Application | undefined, after: Application): number {
  if (!before) return 0
  const epoch = before.credentialEpoch ?? 0
  return isSamePlace(before, after) && keepsSecrets(before, after) ? epoch : epoch + 1
}

function isSamePlace(before: Application, after: Application): boolean {
  const placeOf = ({ transport, baseUrl, allowedHosts, authentication, headers, query }: Application) => ({
    transport: transport ?? 'http',
    baseUrl,
    allowedHosts: allowedHosts ?? [],
    authentication,
    headers: headers ?? {},
    query: query ?? {},
  })
  return isDeepStrictEqual(placeOf(before), placeOf(after))
}

function keepsSecrets(before: Application, after: Application): boolean {
  const secrets = before.credentialFields.filter(({ Type }) => Type === 'password').map(({ ShortName }) => ShortName)
  return after.credentialFields.every(({ ShortName, Type }) => Type === 'password' || !secrets.includes(ShortName))
}
