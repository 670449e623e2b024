// A thread of judge-large.ts.
import { answerWork } from '../lib/thread-work.ts'
import { judgeLargeHere } from './judge-large.ts'

answerWork(judgeLargeHere)
