// What a test did last, for the day on which it hangs: its last request, and what it last saw.
import { inspect } from 'node:util'

type Request = { line: string; sentAt: number; status?: number }

let request: Request | undefined
let state: unknown

/** Returns what to call with the status of the answer. */
export function noteRequest(method: string, path: string): (status: number) => void {
  const sent: Request = { line: `${method} ${path}`, sentAt: performance.now() }
  request = sent
  return (status) => {
    sent.status = status
  }
}

/** Something that was seen while waiting for something else. */
export function noteState(seen: unknown): void {
  state = seen
}

export function forgetWaiting(): void {
  request = undefined
  state = undefined
}

export function describeWaiting(): string {
  const told = state instanceof Error ? state.message : inspect(state, { depth: 4, breakLength: 120 })
  const lines = [describeRequest(), ...(state === undefined ? [] : [`Last state: ${told.slice(0, 1000)}`])]
  return lines.join('\n')
}

function describeRequest(): string {
  if (!request) return 'No request was made.'
  const seconds = Math.round((performance.now() - request.sentAt) / 1000)
  return `Last request, ${seconds} s ago: ${request.line}${request.status ? ` ${request.status}` : ', no answer yet'}`
}
