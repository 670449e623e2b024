import type { AnswerMessage, GuestEnd, RunMessage } from '../protocol.ts'
import { readAnswer, send, sendText } from './channel.ts'
import { locateSyntaxFault } from './compile.ts'
import { closeWorkshop, prepareNext, takeRealm } from './workshop.ts'

/** V8 may give an isolate up without the call into it ever returning, so it is looked after from this thread. */
const LOOK_MS = 50

type Running = { job: number; answer(message: AnswerMessage): void }

let running: Running | undefined

export function answerRunning(message: AnswerMessage): void {
  if (running?.job === message.job) running.answer(message)
}

/**
 * Runs one script. A turn is one entry into the isolate together with all microtasks that follow from it. The job is over
 * when the script has finished and its turn has ended: what a script left spinning still counts as the script.
 */
export async function runScript(message: RunMessage, library: string, reportsMemory: boolean): Promise<void> {
  const { job } = message
  let endText: string | undefined
  let lines: string[] = []
  let isCut = false
  let callsOpen = 0
  let answersSeen = 0
  let turns = 0
  let unhandled: string | undefined
  const over = Promise.withResolvers<GuestEnd | undefined>()

  const flushLog = (): void => {
    if (lines.length === 0) return
    send({ type: 'log', job, lines, isCut })
    lines = []
  }
  const sendCall = (isSync: boolean, call: number, text: string): void => {
    flushLog()
    sendText(`{"type":"call","job":${job},"isSync":${isSync},"call":${call},${text}}`)
  }
  const { realm, tidy, release, keep } = takeRealm(
    { accountId: message.accountId, libraryKey: message.libraryKey, library, limits: message.limits },
    message.realmKey,
    {
      log: (line, isLast) => {
        lines.push(line)
        isCut = isLast
        if (lines.length === 1) setImmediate(flushLog)
      },
      call: (call, text) => {
        callsOpen++
        sendCall(false, call, text)
      },
      ask: (text) => {
        sendCall(true, 0, text)
        return readAnswer()
      },
      finish: (text) => {
        endText ??= text
      },
    },
  )

  const enter = (...input: Parameters<typeof realm.dispatch.apply>[1] & unknown[]): void => {
    turns++
    realm.dispatch.apply(undefined, input as never).then(endTurn, failTurn)
  }
  const endTurn = (): void => {
    turns--
    if (turns > 0) return
    if (endText !== undefined) over.resolve(undefined)
    else if (callsOpen === 0) over.resolve({ kind: 'stalled' })
    else {
      flushLog()
      send({ type: 'idle', job, answers: answersSeen })
    }
  }
  /**
   * A turn fails when a promise was rejected in it and nothing waited for that promise yet. The script may still come to it,
   * so it goes on, and the log of a script that returns tells of the last such promise.
   */
  const failTurn = (error: unknown): void => {
    if (realm.isolate.isDisposed) {
      over.resolve({ kind: 'outOfMemory' })
      return
    }
    const text = error instanceof Error ? error.message : ''
    unhandled = text === '' || text.includes('isolated-vm') ? 'a value that is not an error' : text
    endTurn()
  }
  running = {
    job,
    answer: (answer) => {
      callsOpen--
      answersSeen++
      enter('settle', answer.call, answer.ok, answer.body)
    },
  }
  const look = setInterval(() => {
    if (realm.isolate.isDisposed) over.resolve({ kind: 'outOfMemory' })
    if (reportsMemory) send({ type: 'memory', residentBytes: process.memoryUsage.rss() })
  }, LOOK_MS)

  enter('start', message.script, message.inputs, message.keepsRealm)
  const fault = await over.promise
  clearInterval(look)
  running = undefined
  if (unhandled !== undefined && endText?.startsWith('{"kind":"returned"')) {
    lines.push(`(A promise was rejected while nothing waited for it: ${unhandled})`)
  }
  flushLog()
  const end = fault === undefined ? (endText as string) : JSON.stringify(fault)
  // Only a script that returned leaves nothing behind that could surprise the next one of its run. Its realm is tidied before its end is
  // told: whatever it left in the way of that is done in its own time, not in that of the next script.
  const isReturned = unhandled === undefined && end.startsWith('{"kind":"returned"')
  const isTidy = message.keepsRealm && isReturned && tidy()
  if (end === '{"kind":"invalid"}')
    send({ type: 'done', job, end: { kind: 'invalid', ...locateSyntaxFault(realm.isolate, message.script) } })
  else sendText(`{"type":"done","job":${job},"end":${end}}`)
  // After anything but a clean turn the isolate is in an unknown state.
  if ((fault !== undefined && fault.kind !== 'stalled') || realm.isolate.isDisposed) {
    closeWorkshop()
    return
  }
  if (isTidy) keep()
  else release()
  prepareNext()
}
