import type { GuestLimits } from './protocol.ts'

const MIB = 1024 * 1024

export type ScriptLimits = GuestLimits & {
  /** Run time of the script: pauses do not count. */
  timeMs: number
  /** All pauses of one script together; with `timeMs` it bounds how long a script can exist. */
  pauseMsMax: number
  /** Resident memory of the whole script process; above it the process is killed. */
  residentBytesMax: number
}

export const defaultLimits: ScriptLimits = {
  timeMs: 15 * 60_000,
  pauseMsMax: 60 * 60_000,
  memoryBytes: 128 * MIB,
  residentBytesMax: 448 * MIB,
  resultBytesMax: 5 * MIB,
  logBytesMax: MIB,
  callBytesMax: 8 * MIB,
}

/**
 * Deeper values are refused as results: V8 parses any depth, but every recursive reader of the value in the service
 * (serialisers, masking, the database) would have to survive it.
 */
export const RESULT_DEPTH_MAX = 400

/** A result, the session and both vaults in one message, each text escaped once more. */
export const MESSAGE_BYTES_MAX = 96 * MIB

export const SCRIPT_CHARACTERS_MAX = MIB

/**
 * What `ulimit` gives a script process where the platform has it. The limit of its data is none of these: V8 reserves memory for machine code in
 * every isolate, how much depends on the processor and on the version, and the system counts it as data although it is never filled. So it
 * is measured (see pool/first-process.ts).
 */
export const processLimits = { openFiles: 64, processes: 256 }

/** What scripts may fill, beyond what the isolates of a process reserve. */
export const SCRIPT_DATA_BYTES = 512 * MIB
