// A thread of attachment.ts.
import { answerWork } from '../lib/thread-work.ts'
import { encodeAttachment } from './encode-attachment.ts'

answerWork(encodeAttachment, (encoded) => (encoded ? [encoded.json] : []))
