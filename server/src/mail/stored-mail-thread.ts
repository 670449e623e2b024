// A thread of stored-mail.ts.
import { answerWork } from '../lib/thread-work.ts'
import { readContent } from './stored-mail.ts'

answerWork(readContent, ({ attachments }) => attachments.map(({ bytes }) => bytes.buffer as ArrayBuffer))
