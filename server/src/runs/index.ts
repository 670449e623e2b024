export { startErrorRuns } from './after-error/start-error-runs.ts'
export { failedAnswer } from './await/answer-store.ts'
export type { Answers } from './await/answering.ts'
export type { AwaitedRun, EndWatch } from './await/end-watch.ts'
export { callVault, mailAddress, mailMethod, type ScriptPorts } from './execute/script-calls.ts'
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
export { listRecorded, openTape } from './record/recording-store.ts'
export { updateFailuresTold } from './record/workflow-outcome-store.ts'
export { bodyText } from './recording/run-tape.ts'
export type { Tape, TapedCall, TapedRead } from './recording/tape.ts'
export {
  listRecordedItems,
  type RecordedBlock,
  type RecordedItem,
  type RecordedRun,
} from './rehearse/recorded-run-store.ts'
export { RecordedRuns } from './rehearse/recorded-runs.ts'
export { type RehearsalDeps, type Rehearsed, rehearse } from './rehearse/rehearse.ts'
export { type EndedRun, type Run, runQueue } from './run.ts'
export { createRuns } from './service.ts'
export type { RetriedWebhooks } from './start/start.ts'
export type { RunStarter } from './start/starter.ts'
export { testBlock } from './test-block/test-block.ts'
