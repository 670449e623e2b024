export { type ScriptCall, ScriptCallError } from './calls.ts'
export type { CallContext, LibraryFunction } from './job.ts'
export type { ScriptFailure, ScriptOutcome } from './outcome.ts'
export { SandboxPool } from './pool.ts'
