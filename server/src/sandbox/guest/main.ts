/**
 * A script process: reads orders from descriptor 0, runs one script at a time, and ends when the service does. It holds no
 * secret of the service, no database and no network; what a script may do is decided at the other end of the pipe.
 */
import ivm from 'isolated-vm'
import { type GuestEnd, ORDER_DESCRIPTOR, type RunMessage, type ToGuest } from '../protocol.ts'
import { createBlockingReader, endProcess, send } from './channel.ts'
import { createBodyCheck, locateSyntaxFault } from './compile.ts'
import { composeLibrary } from './library.ts'
import { claimJob, holdLifeline } from './lifeline.ts'
import { holdIsolates, makeIsolate } from './make-isolate.ts'
import { answerRunning, isRunning, runScript } from './run.ts'
import { closeForeignDescriptors, reportWalls } from './walls.ts'

const options = new Set(process.argv.slice(2))
const dropTo = [...options].find((option) => option.startsWith('--drop='))?.slice('--drop='.length)

const foreignDescriptors = closeForeignDescriptors()
await holdLifeline(options.has('--report-memory'))

// All code is loaded by now, so the process can become a user that may not read it.
if (dropTo !== undefined) {
  const id = Number(dropTo)
  process.setgroups?.([])
  process.setgid?.(id)
  process.setuid?.(id)
}

/** The library in use, as the text of one script. */
let library = { key: '', source: composeLibrary([], () => true) }

const handle = (line: string): void => {
  const message = JSON.parse(line) as ToGuest
  switch (message.type) {
    case 'library':
      library = {
        key: message.key,
        source: inScratchIsolate((isolate) => composeLibrary(message.functions, createBodyCheck(isolate))),
      }
      return
    case 'run':
      if (isRunning()) ahead.push({ message, source: library.source })
      else begin(message, library.source)
      return
    case 'check':
      check(message.job, message.source)
      return
    case 'hold':
      send({ type: 'done', job: message.job, end: { kind: 'held', dataBytes: holdIsolates() } })
      return
    case 'answer':
      answerRunning(message)
      while (!isRunning()) {
        const next = ahead.shift()
        if (!next) return
        begin(next.message, next.source)
      }
  }
}

/** Scripts that came while another one waited for an answer, each with the library that was the last one then. */
const ahead: { message: RunMessage; source: string }[] = []

function begin(message: RunMessage, source: string): void {
  if (claimJob(message.job)) runScript(message, source)
}

function check(job: number, source: string): void {
  const end = inScratchIsolate((isolate): GuestEnd => {
    if (createBodyCheck(isolate)(source, '', true)) return { kind: 'valid' }
    return { kind: 'invalid', ...locateSyntaxFault(isolate, source) }
  })
  send({ type: 'done', job, end })
}

/** Texts are only parsed here, never run, so this isolate belongs to no account. */
function inScratchIsolate<T>(work: (isolate: ivm.Isolate) => T): T {
  const isolate = makeIsolate(() => new ivm.Isolate({ memoryLimit: 64 }))
  try {
    return work(isolate)
  } finally {
    isolate.dispose()
  }
}

/** After so many messages the engine gets its turn for what it does between tasks. */
const MESSAGES_PER_TURN = 64

const nextMessage = createBlockingReader(ORDER_DESCRIPTOR)

/** There is nothing to do but to wait for the next order, and a blocking read is the cheapest way to. */
function takeMessages(): void {
  for (let n = 0; n < MESSAGES_PER_TURN; n++) handle(nextMessage())
  setImmediate(takeMessages)
}

process.on('uncaughtException', endProcess)
send({ type: 'ready', pid: process.pid, report: reportWalls(foreignDescriptors) })
setImmediate(takeMessages)
