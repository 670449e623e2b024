import type { Body } from '../api.ts'

export type Place = NonNullable<Body<'SearchRuns'>['in']>[number]

export const placeWords: Record<Place, string> = {
  webhook: 'Webhook',
  result: 'Result',
  log: 'Log',
  error: 'Error',
  call: 'Call',
}
