import type { HandlersOf } from '../http/index.ts'
import { getReplay } from './get-replay.ts'
import { type StartReplayDeps, startReplay } from './start-replay.ts'

export function replayRoutes(deps: StartReplayDeps): HandlersOf<'ReplayStart' | 'Replay'> {
  return {
    ReplayStart: ({ principal, params, body }) => startReplay(deps, principal, params.id, body),
    Replay: ({ principal, params }) => getReplay(deps, principal, params.id),
  }
}
