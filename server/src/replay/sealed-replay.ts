// What replays keep is sealed: requests may hold passwords, results what applications answered.
import type { KeyRing, Place } from '../secrets/index.ts'
import type { Definition } from '../workflows/index.ts'
import type { ReplayedRun } from './compare.ts'
import type { GivenAnswer } from './recorded-calls.ts'

/** What is run: a revision, or a definition that was never saved. */
export type ReplayRequest = {
  revision?: number
  definition?: Definition
  namedVariables: string[]
  answers: GivenAnswer[]
}

type Key = { id: string; accountId: string }

export function sealRequest(keyRing: KeyRing, key: Key, request: ReplayRequest): Promise<Buffer> {
  return keyRing.seal(requestPlace(key), Buffer.from(JSON.stringify(request)))
}

export async function openRequest(keyRing: KeyRing, key: Key, sealed: Buffer): Promise<ReplayRequest> {
  return JSON.parse((await keyRing.open(requestPlace(key), sealed)).toString()) as ReplayRequest
}

export function sealResult(keyRing: KeyRing, key: Key, position: number, run: ReplayedRun): Promise<Buffer> {
  return keyRing.seal(resultPlace(key, position), Buffer.from(JSON.stringify(run)))
}

export async function openResult(keyRing: KeyRing, key: Key, position: number, sealed: Buffer): Promise<ReplayedRun> {
  return JSON.parse((await keyRing.open(resultPlace(key, position), sealed)).toString()) as ReplayedRun
}

function requestPlace({ id, accountId }: Key): Place {
  return { table: 'replays', column: 'sealed_request', rowId: id, accountId }
}

function resultPlace({ id, accountId }: Key, position: number): Place {
  return { table: 'replay_runs', column: 'sealed_result', rowId: `${id}/${position}`, accountId }
}
