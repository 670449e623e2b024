import { isObject, type Json } from '../../lib/json.ts'
import { scanJson } from '../../lib/json-scan.ts'
import { largeTextMin } from '../../lib/json-text.ts'
import { RESULT_DEPTH_MAX } from '../limits.ts'
import type { FromGuest, GuestEnd } from '../protocol.ts'

/**
 * Reads a message of a script process as if an attacker had written it, which may be so after a flaw in V8. Throws when it
 * does not fit.
 */
export function parseMessage(line: string): FromGuest {
  const tooMuch = line.length > largeTextMin ? readTooMuch(line) : undefined
  if (tooMuch) return tooMuch
  const message = requireObject(JSON.parse(line) as Json)
  switch (message['type']) {
    case 'ready': {
      const report = requireObject(message['report'])
      return {
        type: 'ready',
        pid: requireNumber(message['pid']),
        report: {
          uid: requireNumber(report['uid']),
          environmentNames: requireTexts(report['environmentNames']),
          networkNamespace: requireText(report['networkNamespace']),
          processNamespace: requireText(report['processNamespace']),
          refusesSockets: report['refusesSockets'] === true,
          foreignDescriptors: requireNumber(report['foreignDescriptors']),
          processLimits: requireText(report['processLimits']),
        },
      }
    }
    case 'log':
      return {
        type: 'log',
        job: requireNumber(message['job']),
        lines: requireTexts(message['lines']),
        isCut: message['isCut'] === true,
      }
    case 'call':
      return {
        type: 'call',
        job: requireNumber(message['job']),
        isSync: message['isSync'] === true,
        call: requireNumber(message['call']),
        name: requireText(message['name']),
        args: requireArray(message['args']),
      }
    case 'idle':
      return { type: 'idle', job: requireNumber(message['job']), answers: requireNumber(message['answers']) }
    case 'done':
      return { type: 'done', job: requireNumber(message['job']), end: parseEnd(requireObject(message['end'])) }
    default:
      throw new TypeError('A script process sent a message of an unknown type.')
  }
}

/** So many values can be given to one call: making more of them would keep others waiting. */
const CALL_VALUES_MAX = 200_000
const callHead =
  /^\{"type":"call","job":(\d{1,15}),"isSync":(true|false),"call":(\d{1,15}),"name":"([\w.]{1,60})","args":\[/

/** A call whose arguments are too much to be looked at: only its head is read. */
function readTooMuch(line: string): FromGuest | undefined {
  const [, job, isSync, call, name] = callHead.exec(line.slice(0, 300)) ?? []
  if (name === undefined) return undefined
  // Two levels are those of the message itself.
  const scan = scanJson(Buffer.from(line), RESULT_DEPTH_MAX + 2, CALL_VALUES_MAX)
  if (scan.kind === 'other' || scan.kind === 'json') return undefined
  const problem =
    scan.kind === 'tooDeep' ? 'a value that is nested too deeply' : `more than ${CALL_VALUES_MAX} values at once`
  return { type: 'call', job: Number(job), isSync: isSync === 'true', call: Number(call), name, args: [], problem }
}

function parseEnd(end: { [name: string]: Json }): GuestEnd {
  switch (end['kind']) {
    case 'returned':
      return {
        kind: 'returned',
        value: requireText(end['value']),
        vars: requireText(end['vars']),
        vault: requireText(end['vault']),
        vaultGlobal: requireText(end['vaultGlobal']),
        stop: end['stop'] === null ? null : end['stop'] === true,
      }
    case 'threw':
      return {
        kind: 'threw',
        name: requireText(end['name']),
        message: requireText(end['message']),
        stack: requireText(end['stack']),
        vars: end['vars'] === null ? null : requireText(end['vars']),
        response: end['response'] === null ? null : requireText(end['response']),
      }
    case 'invalid':
      return {
        kind: 'invalid',
        message: requireText(end['message']),
        line: requireNumber(end['line']),
        column: requireNumber(end['column']),
      }
    case 'notJson':
      return { kind: 'notJson', what: requireText(end['what']), message: requireText(end['message']) }
    case 'tooLarge':
      return { kind: 'tooLarge', what: requireText(end['what']), bytes: requireNumber(end['bytes']) }
    case 'held':
      return { kind: 'held', dataBytes: requireNumber(end['dataBytes']) }
    case 'valid':
    case 'outOfMemory':
    case 'stalled':
      return { kind: end['kind'] }
    default:
      throw new TypeError('A script process ended a script in an unknown way.')
  }
}

function requireObject(value: Json | undefined): { [name: string]: Json } {
  if (isObject(value)) return value
  throw new TypeError('A script process sent a message without an object.')
}

function requireArray(value: Json | undefined): Json[] {
  if (Array.isArray(value)) return value
  throw new TypeError('A script process sent a message without a list.')
}

function requireText(value: Json | undefined): string {
  if (typeof value === 'string') return value
  throw new TypeError('A script process sent a message without a text.')
}

function requireTexts(value: Json | undefined): string[] {
  return requireArray(value).map(requireText)
}

function requireNumber(value: Json | undefined): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  throw new TypeError('A script process sent a message without a whole number.')
}
