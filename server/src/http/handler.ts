import type { ServerResponse } from 'node:http'
import type { AnswerOf, BodyOf, OperationName, Operations, ParamsOf, QueryOf } from '@patchbay/contract'
import type { Principal } from '../access/index.ts'
import type { JsonText } from '../lib/json-text.ts'
import type { AccountSlot, Slot, SlotHolder } from './admission/slots.ts'
import type { FixedAnswer } from './answer/fixed-answer.ts'
import type { FileAnswer } from './answer/send-file.ts'
import type { MultipartBody } from './form/multipart.ts'

/** What a handler may know of a request and say beside its answer. */
export type Exchange = {
  readonly requestId: string
  readonly address: string
  header(name: string): string | undefined
  cookie(name: string): string | undefined
  setHeader(name: string, value: string): void
  /** Of an answer that is none of a refusal; 200 unless said otherwise. */
  setStatus(status: 202): void
  /** Calls back once, when the answer was taken or its client has gone; at once if that is so already. */
  onClose(callback: () => void): void
  /**
   * A slot of the caller's for something that goes on, in place of the slot of this request. Throws when there is none. To be called before
   * anything is awaited, and bound at once: `using slot = exchange.takeSlot('wait')`, or `exchange.onClose(() => slot.release())`.
   */
  takeSlot(kind: AccountSlot): Slot
  /** The same for a file that anybody downloads who has its code; `owner` is whose file it is. */
  takeDownloadSlot(owner: SlotHolder): Slot
  /** For an answer that goes on: returns what to tell of the bytes that wait for its client, whenever they have changed. */
  countUnread(): (bytes: number) => void
}

type Access<Name extends OperationName> = Operations[Name] extends { access: 'public' } ? undefined : Principal

export type Call<Name extends OperationName> = {
  params: ParamsOf<Operations[Name]>
  query: QueryOf<Operations[Name]>
  body: Operations[Name] extends { bodyType: 'multipart' } ? MultipartBody : BodyOf<Operations[Name]>
  /** Undefined only for operations that are declared public. */
  principal: Access<Name>
  exchange: Exchange
}

/** Where the contract names another content type, a handler may answer with text or with events instead of a value. */
type Answer<Name extends OperationName> =
  | AnswerOf<Operations[Name]>
  | (Operations[Name] extends { otherContent: string } ? TextFile | PlainText | LiveAnswer : never)

/** An answer may be JSON text already, as it was stored or received: then it is sent as it is, and the handler vouches for its shape. */
export type Handler<Name extends OperationName> = (
  call: Call<Name>,
) => Answer<Name> | FixedAnswer | JsonText | Promise<Answer<Name> | JsonText>

/** An answer that is saved as a file. */
export class TextFile {
  readonly name: string
  readonly contentType: string
  readonly text: string

  constructor({ name, contentType, text }: { name: string; contentType: string; text: string }) {
    this.name = name
    this.contentType = contentType
    this.text = text
  }
}

/** An answer that is text itself, not a JSON string. */
export class PlainText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** An answer that goes on: from now on the response belongs to whoever is given it here. */
export class LiveAnswer {
  readonly start: (response: ServerResponse) => void

  constructor(start: (response: ServerResponse) => void) {
    this.start = start
  }
}

/** The handlers a feature provides; all features together must provide every operation, or the program does not compile. */
export type HandlersOf<Name extends OperationName> = { [Key in Name]: Handler<Key> }
export type Handlers = HandlersOf<OperationName>

/** A page for people, outside the table of operations: part of the explicit list of routes without keys. */
export type Page = {
  method: 'GET' | 'POST'
  path: string
  render(request: PageRequest): PageAnswer | Promise<PageAnswer>
}
export type PageRequest = { query: Record<string, string>; form: Record<string, string>; exchange: Exchange }
export type PageAnswer =
  | { status: number; html: string }
  | { redirectTo: string }
  | { file: FileAnswer }
  /** `hasScript`: the page has a script of ours, which may call the API. */
  | { fixed: FixedAnswer; hasScript?: boolean }
