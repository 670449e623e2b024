// A test that is ended for taking too long says what it was waiting for.
import { afterEach, beforeEach } from 'vitest'
import { describeWaiting, forgetWaiting } from './waiting-for.ts'

beforeEach(forgetWaiting)

afterEach(({ task }) => {
  for (const error of task.result?.errors ?? [])
    if (/timed out in \d+ ?ms/i.test(error.message)) error.message += `\n${describeWaiting()}`
})
