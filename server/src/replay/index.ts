export { findBrokenRun } from './rehearse-change.ts'
export { replayRoutes } from './routes.ts'
export { replayQueue } from './start-replay.ts'
export { ReplayWorker } from './worker.ts'
