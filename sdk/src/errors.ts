/** A refusal of the service, with its status, its sentence and the id to tell the operator. */
export class PatchbayError extends Error {
  override name = 'PatchbayError'
  readonly status: number
  readonly response: unknown
  readonly requestId: string | null

  constructor(status: number, message: string, response: unknown, requestId: string | null) {
    super(message)
    this.status = status
    this.response = response
    this.requestId = requestId
  }

  static from(status: number, text: string, requestId: string | null): PatchbayError {
    try {
      const body = JSON.parse(text) as { errorMessage?: string; response?: unknown }
      return new PatchbayError(status, body.errorMessage ?? text, body.response ?? null, requestId)
    } catch {
      return new PatchbayError(status, text || `The service answered ${status}.`, null, requestId)
    }
  }
}

/** No whole answer came: the service could not be reached, took too long, or the caller cancelled. */
export class ConnectionError extends Error {
  override name = 'ConnectionError'
  /** True when the caller's own signal ended the request. */
  readonly isCancelled: boolean
  /** True when the request was to change something: it may have been done although no answer came. */
  readonly mayHaveChanged: boolean

  constructor(message: string, options: { isCancelled?: boolean; mayHaveChanged?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.isCancelled = options.isCancelled ?? false
    this.mayHaveChanged = options.mayHaveChanged ?? false
  }
}
