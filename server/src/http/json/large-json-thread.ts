// A thread of json-body.ts.
import { answerWork } from '../../lib/thread-work.ts'
import { lookAtJson } from './large-json.ts'

answerWork(lookAtJson, (found) => (found.kind === 'json' ? [found.body] : []))
