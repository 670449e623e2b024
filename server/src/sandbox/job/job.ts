import type { Json } from '../../lib/json.ts'
import { JsonText, textArray, textObject } from '../../lib/json-text.ts'
import type { ScriptLimits } from '../limits.ts'
import type { ScriptCall } from './calls.ts'

export type LibraryFunction = {
  name: string
  isAsync: boolean
  /** Argument names in order. */
  arguments: string[]
  script: string
}

/** An object, or the text of one. */
type SessionInputs = { [part in 'vars' | 'vault' | 'vaultGlobal']: { [name: string]: Json } | JsonText }

/** What is large comes as text and goes to the script as it is. */
type ScriptInputs = {
  dataSources: (Json | JsonText)[]
  variables: { [name: string]: Json }
  session: SessionInputs
  webhook: Json | JsonText
  dateLastRun: string | null
  run: { [name: string]: Json | JsonText } | null
  /** Names that only some scripts have. */
  extras?: { [name: string]: Json | JsonText }
  /** Where `Date` begins for a script that is run again; its sleeps then take no time. Only without `run` of the job. */
  clockMs?: number
}

/** As JSON text. */
export function writeInputs(inputs: ScriptInputs): string {
  const { extras, ...others } = inputs
  const { dataSources, session, webhook, run } = others
  const parts = [session, run ?? {}, extras ?? {}].flatMap((part) => Object.values<unknown>(part))
  const values = [...dataSources, webhook, ...parts]
  const isPlain = !values.some((value) => value instanceof JsonText)
  if (isPlain) return JSON.stringify(inputs)
  return textObject({
    ...others,
    dataSources: textArray(dataSources),
    session: textObject(session),
    run: run && textObject(run),
    ...(extras ? { extras: textObject(extras) } : {}),
  }).text
}

/** `answer`: fx.respond. */
type Capabilities = { api: boolean; vault: boolean; email: boolean; answer?: boolean; events?: boolean }

export type CallContext = {
  /** Aborted when the script is over, however it ended. */
  signal: AbortSignal
  /** Time spent inside counts as a pause of the script, as long as the script itself has nothing to do. */
  pause<T>(work: () => Promise<T>): Promise<T>
  /** What to call once the answer lies in the script process and nothing of it is held here. */
  onHeld(release: () => void): void
}

export type ScriptJob = {
  /** Scripts of different organizations share a process only when the machine has no other left. */
  organizationId: string
  /** Scripts of different accounts never share an isolate. */
  accountId: string
  script: string
  /** Name of the script in error messages. */
  fileName?: string
  inputs: ScriptInputs
  /** When too many scripts wait already, it stands outside until there is a place for it. Absent: it is refused. */
  isPatient?: boolean
  /** When its process ends unexpectedly before the script has called anything, it is started once more, in another process. */
  startsAgain?: boolean
  /** Before everything that waits for a process. */
  goesFirst?: boolean
  /** Called when a process turns to the script: until then it waits in line. */
  onBegin?(): void
  /** Told what the script had written when a fault of the service ends it, before `run` rejects. */
  onCutOff?(log: readonly string[]): void
  /** The run that the script belongs to: scripts of one run may follow each other in one realm. Absent: a realm of its own. */
  run?: { key: string; isLast: boolean }
  library: readonly LibraryFunction[]
  capabilities: Capabilities
  /** Values that must not appear in log, result, session or error. */
  secrets: readonly string[]
  limits?: Partial<ScriptLimits>
  /**
   * Performs a call for the script. Who may do what is decided here from the run; the call holds only data. A
   * `ScriptCallError` becomes an error inside the script; any other rejection is a fault of the service: it ends the
   * script and rejects `run`.
   */
  onCall(call: ScriptCall, context: CallContext): Promise<Json | JsonText>
  /** Told at the start of each `sleep`, so that a worker can be given to someone else meanwhile. */
  onSleep?(ms: number): void
  signal?: AbortSignal
  /** Aborted when the run is to stop: a script that waits for a process is not begun; one that runs goes on, unless it does nothing but sleep. */
  stopSignal?: AbortSignal
  /** Aborted when the worker is to stop: a script that waits for a process, or sleeps for long, is aborted, because it may begin again elsewhere; one that runs goes on. */
  leaveSignal?: AbortSignal
}
