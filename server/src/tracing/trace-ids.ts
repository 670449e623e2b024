// Ids of traces follow from the ids that requests and runs have anyway: so every process knows the trace of a run without being told, and
// nothing has to be stored with it.
import { hash, randomBytes } from 'node:crypto'

type Traced = { id: string; webhookIds: readonly string[] | null }

/** A run that webhook requests started belongs to the trace of the first of them. */
export function traceIdOf({ id, webhookIds }: Traced): string {
  return (webhookIds?.[0] ?? id).replaceAll('-', '').toLowerCase()
}

/** The same for the same thing, in every process. */
export function spanIdOf(...parts: readonly string[]): string {
  return hash('sha256', parts.join(' '), 'hex').slice(0, 16)
}

export function newSpanId(): string {
  return randomBytes(8).toString('hex')
}

/** Ids begin with the time of their creation in milliseconds. */
export function creationOf(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
}
