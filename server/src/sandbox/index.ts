export { type ScriptCall, ScriptCallError } from './calls.ts'
export type { CallContext, LibraryFunction, ScriptJob } from './job.ts'
export type { ScriptFailure, ScriptOutcome, ScriptReturned } from './outcome.ts'
export { SandboxPool } from './pool.ts'
