// What the script of a block sees, for editors and for the documentation. A script is the body of an async function: `await` and
// `return` stand at its top level, and what it returns must be JSON.
// Keep the form: one comment and one declaration a line. The console's editor reads this file line by line.

/** Results of the blocks named as data sources, in their order. */
declare const Datasource: any[]
/** Values of this block's variables, with their bindings resolved. */
declare const variables: Record<string, any>
/** The same as `variables`. */
declare function getVariables(): Record<string, any>

/** In a block with `forEach`: the item that the script runs for. */
declare const item: any
/** In a block with `forEach`: the position of the item in the list, from 0. */
declare const index: number
/** In a block with `forEach`: the key of the item. */
declare const itemKey: string
/** In a block with `forEach` and a `batchSize` over 1: the items of the batch. Return as many results. */
declare const items: { item: any; index: number; itemKey: string }[]
/** Parallel to `Datasource`: the keys of the items where a source has items, null otherwise. */
declare const itemKeys: (string[] | null)[]
/** In expressions of a block with `wait` or `subWorkflow`: what its script returned. */
declare const prepared: any

/** Calls to the applications that the workflow is connected to. A response outside 2xx throws an error with method, address, status and body. */
declare namespace api {
  /** GET. The address is the application's short name and an endpoint: `TEST/orders`. */
  function get(url: string): Promise<any>
  /** POST with a JSON body. */
  function post(url: string, data?: unknown): Promise<any>
  /** Any request. With `newVersion` the answer is `{statusCode, headers, data}`. */
  function send(shortName: string, request: { verb: string; requestUrl: string; baseUrl?: string; data?: unknown; headers?: Record<string, string>; responseType?: 'Json' | 'Text' | 'Binary'; responseCodes?: number[] }, newVersion?: boolean): Promise<any>
}

/** Encrypted values that outlive the run. Plain names belong to the workflow, names with Global to the whole account. Values come back at once; `await` does no harm. */
declare namespace myVault {
  /** The stored value, or null. */
  function get(key: string): any
  /** Stores a JSON value at once. */
  function set(key: string, value: unknown): boolean
  /** Removes a value; false when there was none. */
  function remove(key: string): boolean
  /** Whether there is a value. */
  function contains(key: string): boolean
  /** Stores a value when the run completes, and not if it fails. */
  function setOnComplete(key: string, value: unknown): void
  /** The account's value, or null. */
  function getGlobal(key: string): any
  /** Stores a value for the account at once. */
  function setGlobal(key: string, value: unknown): boolean
  /** Removes a value of the account; false when there was none. */
  function removeGlobal(key: string): boolean
  /** Whether the account has a value. */
  function containsGlobal(key: string): boolean
  /** Stores a value for the account when the run completes, and not if it fails. */
  function setGlobalOnComplete(key: string, value: unknown): void
}

/** What the blocks of one run share. */
declare namespace session {
  /** Any JSON, handed from block to block. */
  const vars: Record<string, any>
  /** Written to the workflow's vault when the run completes. */
  const vault: Record<string, any>
  /** Written to the account's vault when the run completes. */
  const vaultGlobal: Record<string, any>
}

/** The request that started the run; an array of requests when the webhook takes batches; null otherwise. */
declare const webhook: { id: string; body: any; headers: Record<string, string>; urlParameters: Record<string, string | string[]>; method: string } | null
/** Start of the last run that completed, as an ISO string; null the first time. Ask for what changed since. */
declare const dateLastRun: string | null

/** The run itself. */
declare const run: {
  /** Id of the workflow. */
  readonly workflowId: string
  /** Number of the run. */
  readonly runNumber: number
  /** API, Scheduler, Webhook, Manual, Retry or Workflow. */
  readonly runBy: string
  /** Stays the same when the block runs again. Send it with every write. */
  readonly idempotencyKey: string
  /** What RunWorkflow, RunAndWait or the block of another workflow gave; null otherwise. */
  readonly input: any
  /** In a block with wait: an address that lets the run go on, once. POST it JSON up to 1 MiB, which becomes data of the result. */
  readonly resumeUrl?: string | null
  /** 1 for the first try of the block or item, 2 for the next, and so on. */
  readonly try: number
  /** In a block with `wait`: an address that ends the wait with a POST, once. */
  readonly resumeUrl: string
}

/** Library functions: dates, text, grouping, joining, CSV, XML, hashing. */
declare namespace fx {
  /** Answers the webhook request that started the run, where the webhook setting respondWith is result. Sent when this block is recorded; the run goes on. The first call counts. Text without a Content-Type is sent as a JSON string. */
  function respond(response: { statusCode?: number; headers?: Record<string, string>; body?: any }): void
  /** Ends the run as Ready after this block. The flag says whether dateLastRun moves and deferred values are written. */
  function stopAfterThisBlock(isComplete?: boolean): void
}

/** Mail. */
declare namespace email {
  /** Sends a mail, as ApiProxyEmail does. */
  function send(mail: { subject: string; to?: string[]; cc?: string[]; bcc?: string[]; body: string; bodyIsHtml?: boolean; attachmentName?: string; attachment?: string; attachmentEncoding?: string; attachmentContentType?: string; toAccountEmail?: boolean }): Promise<any>
}

/** Writes to the log of the block. */
declare namespace console {
  /** Writes a line; objects as JSON. */
  function log(...values: unknown[]): void
  /** Writes a line. */
  function info(...values: unknown[]): void
  /** Writes a line. */
  function warn(...values: unknown[]): void
  /** Writes a line. */
  function error(...values: unknown[]): void
  /** Writes a line. */
  function debug(...values: unknown[]): void
}

/** Writes to the log of the block. */
declare namespace logger {
  /** Writes a line; objects as JSON. */
  function log(...values: unknown[]): void
}

/** Waits; counts as pause, not as run time. At most one hour. */
declare function sleep(ms: number): Promise<void>

/** Events that wake runs of the same account. */
declare namespace events {
  /** Wakes the runs that wait for the event; without a key, those that wait without one. */
  function send(name: string, key?: string | number | null, data?: any): Promise<{ wokenRuns: number }>
}
