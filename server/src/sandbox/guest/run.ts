import type { AnswerMessage, GuestEnd, RunMessage } from '../protocol.ts'
import { endProcess, readAnswer, send, sendText } from './channel.ts'
import { answerTextCall } from './character-sets.ts'
import { locateSyntaxFault } from './compile.ts'
import { closeIsolate, prepareNext, type TakenRealm, takeRealm } from './isolate-cache.ts'
import type { Watch } from './realm/dispatch.ts'

type Running = {
  message: RunMessage
  taken: TakenRealm
  /** What the script said at its end. */
  endText: string | undefined
  callsOpen: number
  answersSeen: number
  unhandled: string | undefined
  log: { lines: string[]; count: number; characters: number; isCut: boolean; sentAt: number }
}

/** So many lines are sent as they come, because nothing of a script that never ends could be sent later. */
const LINES_SENT_SINGLY = 1000
/** Those after them wait for others no longer than this: each message takes time of the service. */
const GATHER_LOG_MS = 5
const GATHER_LOG_CHARACTERS = 32_768

type Input = ['start', string, string, Watch] | ['settle', number, boolean, string]

/** A script without any of these words can hardly add a hidden property, remove one or close an object. */
const reachesPrototypes = /proto|defin|constructor|reflect|assign|eval|delete|symbol|freeze|seal|prevent|function\s*\(/i

let running: Running | undefined

/** A script is under way and waits for an answer: nothing else is looked at while one computes. */
export function isRunning(): boolean {
  return running !== undefined
}

/**
 * Runs one script. A turn is one entry into the isolate together with all microtasks that follow from it. The job is over
 * when the script has finished and its turn has ended: what a script left spinning still counts as the script.
 */
export function runScript(message: RunMessage, library: string): void {
  const { job, accountId, libraryKey, limits } = message
  const size = message.script.length + message.inputs.length
  const taken = takeRealm({ accountId, libraryKey, library, limits }, message.realmKey, size, {
    log: (line, isCut) => addToLog(run, line, isCut),
    call: (call, text) => {
      run.callsOpen++
      flushLog(run)
      sendText(`{"type":"call","job":${job},"isSync":false,"call":${call},${text}}`)
    },
    ask: (text) => {
      const known = answerTextCall(text)
      if (known !== undefined) return known
      flushLog(run)
      sendText(`{"type":"call","job":${job},"isSync":true,"call":0,${text}}`)
      return readAnswer()
    },
    finish: (text) => {
      run.endText ??= text
    },
  })
  const run: Running = {
    message,
    taken,
    endText: undefined,
    callsOpen: 0,
    answersSeen: 0,
    unhandled: undefined,
    log: { lines: [], count: 0, characters: 0, isCut: false, sentAt: 0 },
  }
  running = run
  enter(run, ['start', message.script, message.inputs, watchFor(message)])
}

function watchFor({ keepsRealm, script }: RunMessage): Watch {
  if (!keepsRealm) return 'none'
  return reachesPrototypes.test(script) ? 'deep' : 'shallow'
}

export function answerRunning({ job, call, ok, body }: AnswerMessage): void {
  if (running?.message.job !== job) return
  running.callsOpen--
  running.answersSeen++
  enter(running, ['settle', call, ok, body])
}

/** On this thread: to tell another one costs more than most scripts. */
function enter(run: Running, input: Input): void {
  const { dispatch, isolate } = run.taken.realm
  try {
    dispatch.applySync(undefined, input as never)
  } catch (error) {
    if (isolate.isDisposed) {
      finish(run, { kind: 'outOfMemory' })
      return
    }
    noteUnhandled(run, error)
  }
  endTurn(run)
}

/**
 * A turn fails when a promise was rejected in it and nothing waited for that promise yet. The script may still come to it,
 * so it goes on, and the log of a script that returns tells of the last such promise.
 */
function noteUnhandled(run: Running, error: unknown): void {
  const text = error instanceof Error ? error.message : ''
  run.unhandled = text === '' || text.includes('isolated-vm') ? 'a value that is not an error' : text
}

function endTurn(run: Running): void {
  if (run.endText !== undefined) finish(run, undefined)
  else if (run.callsOpen === 0) finish(run, { kind: 'stalled' })
  else {
    flushLog(run)
    send({ type: 'idle', job: run.message.job, answers: run.answersSeen })
  }
}

function addToLog(run: Running, line: string, isCut: boolean): void {
  const { log } = run
  log.lines.push(line)
  log.characters += line.length
  log.isCut = isCut
  const isDue =
    ++log.count <= LINES_SENT_SINGLY ||
    log.characters > GATHER_LOG_CHARACTERS ||
    performance.now() - log.sentAt > GATHER_LOG_MS
  if (isDue) flushLog(run)
}

function flushLog({ log, message }: Running): void {
  if (log.lines.length === 0) return
  send({ type: 'log', job: message.job, lines: log.lines, isCut: log.isCut })
  log.lines = []
  log.characters = 0
  // Only asked for when lines are gathered.
  if (log.count >= LINES_SENT_SINGLY) log.sentAt = performance.now()
}

function finish(run: Running, fault: GuestEnd | undefined): void {
  const { message, taken, unhandled } = run
  const { job } = message
  running = undefined
  const end = fault === undefined ? (run.endText as string) : JSON.stringify(fault)
  const isReturned = end.startsWith('{"kind":"returned"')
  if (unhandled !== undefined && isReturned) {
    run.log.lines.push(`(A promise was rejected while nothing waited for it: ${unhandled})`)
  }
  flushLog(run)
  // Only a script that returned leaves nothing behind that could surprise the next one of its run. Its realm is tidied before its end is
  // told: whatever it left in the way of that is done in its own time, not in that of the next script.
  const isTidy = message.keepsRealm && isReturned && unhandled === undefined && taken.tidy()
  const { isolate } = taken.realm
  if (end === '{"kind":"invalid"}')
    send({ type: 'done', job, end: { kind: 'invalid', ...locateSyntaxFault(isolate, message.script) } })
  else sendText(`{"type":"done","job":${job},"end":${end}}`)
  // After anything but a clean turn the isolate is in an unknown state. The service ends a process that ran out of memory, and what it was
  // sent ahead must not begin before.
  if (end === '{"kind":"outOfMemory"}') endProcess()
  if (isolate.isDisposed) {
    closeIsolate()
    return
  }
  if (isTidy) taken.keep()
  else taken.release()
  prepareNext()
}
