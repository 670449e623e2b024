import type { ErrorCode, OperationName } from '@patchbay/contract'
import type { Answer, Client } from '../../harness/client.ts'
import type { HttpTarget } from '../../harness/http-target.ts'
import type { TestService } from '../../harness/service.ts'

/** Filled before the first refusal is provoked. */
export type Surroundings = {
  service: TestService
  manager: Client
  user: Client
  target: HttpTarget
}

/** What is no operation: pages for people, and addresses to which others send. */
type Elsewhere = 'a page' | 'a webhook'

export type Refusal = {
  operation: OperationName | Elsewhere
  code: ErrorCode
  /** The sentence, or what is fixed of it. */
  says: string
  provoke(): Promise<Pick<Answer, 'status' | 'text' | 'headers'>>
}

export function refusal(
  operation: Refusal['operation'],
  code: ErrorCode,
  says: string,
  provoke: Refusal['provoke'],
): Refusal {
  return { operation, code, says, provoke }
}

/** Made when it is first asked for; everybody then gets the same. */
export function shared<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make()
    return made
  }
}
