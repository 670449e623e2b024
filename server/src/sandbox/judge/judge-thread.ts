// A thread of judge-large.ts.
import { answerWork } from '../../lib/thread-work.ts'
import { judgeTexts } from './judge-texts.ts'

answerWork(judgeTexts)
