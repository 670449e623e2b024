// What an action means for one workflow, before anything is done.
import type { BodyOf, Operations } from '@patchbay/contract'
import type { ChosenWorkflow } from '../workflows/index.ts'

type Body = BodyOf<Operations['BulkAction']>
export type Action = Body['action']

/** Undefined: there is something to do. */
type Verdict = { outcome: 'unchanged' | 'refused'; message: string } | undefined

const unchanged = (message: string): Verdict => ({ outcome: 'unchanged', message })
const refused = (message: string): Verdict => ({ outcome: 'refused', message })

const verdicts: Record<Action, (workflow: ChosenWorkflow, tag: string) => Verdict> = {
  retryFailed: ({ lastRunStatus, state }) => {
    if (lastRunStatus !== 'Error') return unchanged('Its latest run did not fail.')
    return state === 'deployed' ? undefined : refused('It is not deployed, so its runs cannot be retried.')
  },
  pause: ({ state, isPausedByHand }) => {
    if (state !== 'deployed') return unchanged('It is not deployed, so nothing runs by itself.')
    return isPausedByHand ? unchanged('It is paused already.') : undefined
  },
  resume: ({ isPaused }) => (isPaused ? undefined : unchanged('It is not paused.')),
  deploy: ({ state }) => {
    if (state === 'archived') return refused('The workflow is archived, so it cannot be deployed.')
    return state === 'deployed' ? unchanged('It is deployed already.') : undefined
  },
  tag: ({ tags }, tag) => (tags.includes(tag) ? unchanged('It has this tag already.') : undefined),
}

export function judge(action: Action, workflow: ChosenWorkflow, tag: string): Verdict {
  return verdicts[action](workflow, tag)
}

/** What will be done to a workflow that is neither unchanged nor refused. */
export function announce(action: Action, { lastRunNumber, revision }: ChosenWorkflow, tag: string): string {
  switch (action) {
    case 'retryFailed':
      return `Run ${lastRunNumber} will be retried from the block that failed.`
    case 'pause':
      return 'Automatic runs will be paused until somebody resumes them.'
    case 'resume':
      return 'Automatic runs will resume.'
    case 'deploy':
      return `Revision ${revision} will be deployed.`
    case 'tag':
      return `The tag "${tag}" will be added.`
  }
}
