export { callVault } from './execute/script-calls.ts'
export { scriptLibrary } from './execute/script-library.ts'
export {
  findRunStates,
  loadExcerpts,
  loadRunTexts,
  type PlaceOfText,
  type RunText,
  sizeRunTexts,
} from './history/searchable-texts.ts'
export { claimTries, describeWait, giveBackTries } from './pause/pause-store.ts'
export { resumeByHand } from './pause/resume.ts'
export { type EndedRun, type Run, runQueue } from './run.ts'
export { createRuns } from './service.ts'
export type { RetriedWebhooks } from './start/start.ts'
export type { RunStarter } from './start/starter.ts'
