// A thread of its own, started by indexer.ts: cutting texts into words and sorting their hashes would hold up everything else.
import { parentPort } from 'node:worker_threads'
import { onThreadMessage } from '../../lib/end-thread.ts'
import { answerIndexWork, type IndexWork } from './index-work.ts'

onThreadMessage((work: IndexWork & { number: number }) => {
  try {
    parentPort?.postMessage({ number: work.number, segments: answerIndexWork(work) })
  } catch (error) {
    parentPort?.postMessage({ number: work.number, error })
  }
})
