export type { OnRunsEnded } from './recorder.ts'
export { type EndedRun, type Run, runQueue } from './run.ts'
export { createRuns, type RunsDeps } from './service.ts'
export type { RunRequest, RunStarter } from './starter.ts'
