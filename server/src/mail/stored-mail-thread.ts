// A thread of stored-mail.ts.
import { answerWork } from '../lib/thread-work.ts'
import { readContent } from './read-content.ts'

answerWork(readContent, ({ attachments }) => attachments.map(({ bytes }) => bytes))
