// Credentials, headers and forms.
import { createAccount } from '../../harness/accounts.ts'
import { sendUpload, uploadForm } from '../../harness/upload.ts'
import { type Refusal, refusal, type Surroundings } from './refusal.ts'

const password = 'correct horse battery'

export function refusalsOfRequests(at: Surroundings): Refusal[] {
  async function signedIn(): Promise<string> {
    const visitor = at.service.client(undefined)
    const token = /set-password\?token=([^\s"]+)/.exec(at.service.logText())?.[1] ?? ''
    const form = new URLSearchParams({ token, password, repeated: password }).toString()
    await visitor.send('POST', '/set-password', form, { 'Content-Type': 'application/x-www-form-urlencoded' })
    const answer = await visitor.post('/api/SignIn', { email: at.service.firstAccount.email, password })
    return answer.headers.get('set-cookie')?.split(';')[0] ?? ''
  }
  const email = 'Content-Disposition: form-data; name="notificationEmail"\r\n\r\nanna@example.com\r\n'
  /** A form of one part, written by hand. */
  const sendPart = (part: string) =>
    sendUpload(at.manager, `--XbX\r\n${part}--XbX--\r\n`, { 'Content-Type': 'multipart/form-data; boundary=XbX' })
  const sendFiles = (count: number, fields: Record<string, string> = {}) =>
    sendUpload(at.manager, uploadForm(Array(count).fill({ name: 'a.txt', content: 'a' }), fields))

  return [
    refusal('Authenticate', 'keys_missing', 'Every request needs both Consumer and SecretKey.', () =>
      at.service.client(undefined).get('/api/Authenticate'),
    ),
    refusal('Authenticate', 'keys_invalid', 'These keys have expired.', async () => {
      const pair = (await at.manager.post('/api/ApiKey', {})).body
      await at.service.asOwner("update api_keys set expires_at = now() - interval '1 minute' where id = $1", [pair.id])
      return at.service.client(pair).get('/api/Authenticate')
    }),
    refusal('Authenticate', 'session_invalid', 'The header X-CSRF-Token is missing or wrong.', async () =>
      at.service
        .client(undefined)
        .with({ Cookie: await signedIn() })
        .get('/api/Authenticate'),
    ),
    refusal('Accounts', 'role_too_low', 'This needs the role Manager or higher. Your role is User.', () =>
      at.user.get('/api/Accounts'),
    ),
    refusal('GetOutbox', 'role_too_low', 'This needs the role Manager or higher', () =>
      at.user.post('/api/GetOutbox', { allAccounts: true }),
    ),
    ...(['AttributeTagAdd', 'AttributeTagDelete'] as const).map((name) =>
      refusal(name, 'role_too_low', 'This needs the role Manager or higher', () =>
        at.user.post(`/api/${name}/organization/${at.service.firstAccount.organizationId}`, { value: 'v' }),
      ),
    ),
    refusal('ApiKeyCreate', 'invalid_request', 'must contain IP addresses or CIDR ranges; "nowhere" is neither.', () =>
      at.manager.post('/api/ApiKey', { ipRestriction: ['nowhere'] }),
    ),
    refusal('AccountState', 'account_state_not_permitted', 'The field accountState cannot be active: ', async () => {
      const { id } = await createAccount(at.service, at.manager, 'User')
      await at.manager.post(`/api/AccountState/${id}`, { accountState: 'archived' })
      return at.manager.post(`/api/AccountState/${id}`, { accountState: 'active' })
    }),
    refusal('AccountState', 'account_state_not_permitted', 'You cannot change the state of your own account.', () =>
      at.manager.post(`/api/AccountState/${at.service.firstAccount.accountId}`, { accountState: 'locked' }),
    ),
    refusal('a page', 'too_many_requests', 'Too many requests from your address. Try again in a minute.', async () => {
      const type = { 'Content-Type': 'application/x-www-form-urlencoded' }
      const ask = () => at.service.client(undefined).send('POST', '/forgot-password', 'email=nobody@example.com', type)
      const answers = await Promise.all(Array.from({ length: 25 }, ask))
      return answers.find(({ status }) => status === 429) ?? answers[0]!
    }),
    refusal('Describe', 'not_found', 'No such record type: Nothing.', () =>
      at.manager.get('/api/Describe?name=Nothing'),
    ),
    refusal('WorkflowCreate', 'invalid_request', 'The header Content-Type must be application/json for this op', () =>
      at.manager.send('POST', '/api/Workflow', 'x', { 'Content-Type': 'text/plain' }),
    ),
    refusal(
      'ProxySecureUpload',
      'invalid_request',
      'The header Content-Type must be multipart/form-data for this',
      () => sendUpload(at.manager, '{}', { 'Content-Type': 'application/json' }),
    ),
    refusal('ProxySecureUpload', 'invalid_request', 'The header Content-Type has no valid boundary.', () =>
      sendUpload(at.manager, 'x', { 'Content-Type': 'multipart/form-data' }),
    ),
    refusal('ProxySecureUpload', 'invalid_request', 'a part contains an invalid header line.', () =>
      sendPart('no header at all\r\n\r\nx\r\n'),
    ),
    refusal('ProxySecureUpload', 'invalid_request', 'has an unsupported Content-Transfer-Encoding: base64.', () =>
      sendPart('Content-Disposition: form-data; name="code"\r\nContent-Transfer-Encoding: base64\r\n\r\neA==\r\n'),
    ),
    refusal('ProxySecureUpload', 'invalid_request', 'Malformed or incomplete multipart body: ', () =>
      sendPart(`${email}--XbX and more\r\n`),
    ),
    refusal('ProxySecureUpload', 'invalid_request', 'Unknown field "invented".', () => sendFiles(1, { invented: 'x' })),
    refusal('ProxySecureUpload', 'invalid_request', 'The field notificationEmail appears twice.', () =>
      sendPart(`${email}--XbX\r\n${email}`),
    ),
    refusal('ProxySecureUpload', 'invalid_request', 'Unexpected field "other". Files go in the field "files".', () =>
      sendPart('Content-Disposition: form-data; name="other"; filename="a"\r\n\r\nx\r\n'),
    ),
    refusal('ProxySecureUpload', 'invalid_request', 'A share holds at most ', () => sendFiles(1001)),
    refusal('DocumentLibraryGrant', 'invalid_request', 'The field authUrl is wrong: ', () =>
      grant({ authUrl: 'https://' }),
    ),
    refusal('DocumentLibraryGrant', 'target_refused', 'Step 1 of 3 (token of the admin app) failed: ', () => {
      at.target.answer = () => ({ status: 400, json: { error: 'invalid_client' } })
      return grant({ authUrl: at.target.origin, graphUrl: at.target.origin })
    }),
    refusal('DocumentLibraryGrant', 'target_unreachable', 'Check authUrl and graphUrl.', () =>
      grant({ authUrl: 'http://127.0.0.1:9', graphUrl: 'http://127.0.0.1:9' }),
    ),
  ]

  function grant(more: Record<string, unknown>) {
    const id = '11111111-0000-4000-8000-000000000001'
    return at.manager.post('/api/DocumentLibraryGrant', {
      tenantId: id,
      adminClientId: id.replaceAll('1', '2'),
      adminClientSecret: 'secret',
      connectorClientId: id,
      host: 'example.sharepoint.com',
      sitePath: '/sites/Team',
      role: 'write',
      ...more,
    })
  }
}
