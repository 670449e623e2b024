export type HostFunctions = {
  log(line: string, isCut: boolean): void
  call(call: number, text: string): void
  /** Blocks until the service has answered. The first character of the answer is 1 for success, 0 for an error. */
  ask(text: string): string
  finish(text: string): void
}

/** How closely a realm is compared with what it was before; `deep` finds hidden additions to built-ins, too. */
export type Watch = 'none' | 'shallow' | 'deep'

/**
 * Starts the script, or hands it the answer to one of its calls. `tidy` puts the realm back as it was before a script that was started
 * with a watch, and tells whether that could be done.
 */
export type Dispatch = (
  action: 'start' | 'settle' | 'tidy',
  first?: string | number,
  second?: string | boolean,
  third?: string | boolean,
) => boolean

/** What a realm is given by its host. One by one, because functions cannot cross into an isolate inside an object. */
export type AttachArguments = [
  log: HostFunctions['log'],
  call: HostFunctions['call'],
  ask: HostFunctions['ask'],
  finish: HostFunctions['finish'],
  resultBytesMax: number,
  logBytesMax: number,
  callBytesMax: number,
]

/** Joins a realm to its host and removes the name under which this function was found. */
export type Attach = (...given: AttachArguments) => Dispatch
