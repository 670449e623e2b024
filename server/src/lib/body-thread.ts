// A thread of large-body.ts.
import { type BodyForm, bodyText } from './body-text.ts'
import { answerWork } from './thread-work.ts'

answerWork(
  ({ body, form }: { body: Uint8Array; form: BodyForm }) => bodyText(body, form),
  (bytes) => (bytes ? [bytes] : []),
)
