// Which operation refused a request, and why. Clients are told a status and a sentence; the log has the reason in a word.
import { type ErrorCode, type OperationSpec, operations, refusalsOf } from '@patchbay/contract'
import type { Answer } from './client.ts'
import { eventually } from './eventually.ts'

type Refused = { requestId: string; spec: OperationSpec | undefined; code: ErrorCode }

const all = Object.values(operations as Record<string, OperationSpec>)
const byRoute = new Map(all.map((spec) => [`${spec.method} ${spec.path}`, spec]))

function listRefused(lines: readonly string[]): Refused[] {
  return lines
    .filter((line) => line.includes('"refusal":'))
    .map((line) => {
      const { requestId, method, route, refusal } = JSON.parse(line)
      return { requestId, spec: byRoute.get(`${method} ${route}`), code: refusal }
    })
}

/** Waits for the line of the request, which follows its answer. */
export async function refusalOf(service: { logText(): string }, { headers }: Pick<Answer, 'headers'>) {
  const { spec, code } = await eventually(() =>
    listRefused(service.logText().split('\n')).findLast(({ requestId }) => requestId === headers.get('x-request-id')),
  )
  return { operation: spec?.name, code }
}

/** Whatever a test asked for: the contract knows every refusal that was given. */
export function expectDeclared(lines: readonly string[]): void {
  const undeclared = listRefused(lines).filter(({ spec, code }) => spec && !refusalsOf(spec).includes(code))
  const names = new Set(undeclared.map(({ spec, code }) => `${spec?.name} ${code}`))
  if (names.size > 0) throw new Error(`The contract does not declare: ${[...names].join(', ')}.`)
}
