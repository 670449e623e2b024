// What a change needs: the service, requests of its first Manager, and workflows to change.
import { randomUUID } from 'node:crypto'
import type { AuditAction, OperationName } from '@patchbay/contract'
import type { Answer, Client } from '../../harness/client.ts'
import type { TestService } from '../../harness/service.ts'
import { createWorkflow, deployWorkflow } from '../../harness/workflows.ts'

export type Request = (() => Promise<Pick<Answer, 'status' | 'text'>>) & {
  /** Names what is changed, where the answer does not. */
  about?: string
  /** What the service then does by itself. */
  also?: readonly AuditAction[]
}
/** Resolves, when everything is prepared, with the request to watch. */
type Prepare = () => Promise<Request>
export type Changes = { readonly [Name in OperationName]?: { readonly [Action in AuditAction]?: Prepare } }

const password = 'correct horse battery'

export type Bench = ReturnType<typeof setUp>

export function setUp(service: TestService) {
  const { manager } = service
  const visitor = service.client(undefined)
  const credentials = { email: service.firstAccount.email, password }
  const signIn = () => visitor.post('/api/SignIn', credentials)
  /** The link that the first start prints works once, and the password stays. */
  async function withPassword(): Promise<void> {
    const token = /set-password\?token=([^\s"]+)/.exec(service.logText())?.[1] ?? ''
    const form = new URLSearchParams({ token, password, repeated: password }).toString()
    await visitor.send('POST', '/set-password', form, { 'Content-Type': 'application/x-www-form-urlencoded' })
  }
  async function person(): Promise<Client> {
    await withPassword()
    const cookie = (await signIn()).headers.get('set-cookie')?.split(';')[0] ?? ''
    const inside = visitor.with({ Cookie: cookie })
    return inside.with({ 'X-CSRF-Token': (await inside.get('/api/Session')).body.csrfToken as string })
  }
  return {
    service,
    manager,
    newName: () => `name${randomUUID().slice(0, 8)}`,
    post: (path: string, body?: unknown): Request =>
      about(`${path} ${JSON.stringify(body)}`, () => manager.post(path, body)),
    get: (path: string): Request => about(path, () => manager.get(path)),
    idle: async () => (await createWorkflow(manager, ['return 1'])).id,
    deployed: async (script = 'return 1') => (await deployWorkflow(manager, [script])).id,
    signIn,
    withPassword,
    person,
  }
}

export function about(name: string, request: Request): Request {
  return Object.assign(request, { about: name })
}
