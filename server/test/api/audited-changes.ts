// Every change that an operation of the contract can make, once each: what must be there first, and the request that changes it.
import { randomUUID } from 'node:crypto'
import type { AuditAction, OperationName } from '@patchbay/contract'
import { createAccount, uniqueEmail } from '../harness/accounts.ts'
import type { Answer, Client } from '../harness/client.ts'
import { eventually } from '../harness/eventually.ts'
import type { GraphServer } from '../harness/graph-server.ts'
import type { TestService } from '../harness/service.ts'
import { createTemplate, newBlock } from '../harness/templates.ts'
import { startUpgrade } from '../harness/upgrades.ts'
import { sendUpload, uploadForm } from '../harness/upload.ts'
import { enableWebhook, hasStatus } from '../harness/webhooks.ts'
import { createWorkflow, deployWorkflow, runToEnd, startRun } from '../harness/workflows.ts'
import { applicationFile, blockFiles, type File, workflowFile } from './catalog-files.ts'

type Request = () => Promise<Pick<Answer, 'status' | 'text'>>
/** Resolves, when everything is prepared, with the request to watch. */
type Prepare = () => Promise<Request>
type Changes = { readonly [Name in OperationName]?: { readonly [Action in AuditAction]?: Prepare } }

const password = 'correct horse battery'

export function auditedChanges(service: TestService, graph: GraphServer): Changes {
  const { manager } = service
  const newName = () => `name${randomUUID().slice(0, 8)}`
  const account = () => createAccount(service, manager, 'User')
  const post =
    (path: string, body?: unknown): Request =>
    () =>
      manager.post(path, body)
  const get =
    (path: string): Request =>
    () =>
      manager.get(path)
  const bring = (files: File[]) => manager.post('/api/CatalogImport', { files })
  const idle = async () => (await createWorkflow(manager, ['return 1'])).id
  const deployed = async (script = 'return 1') => (await deployWorkflow(manager, [script])).id

  async function invited(): Promise<string> {
    const body = { email: uniqueEmail(), firstName: 'Ivy', lastName: 'Invited', roleName: 'User' }
    return (await manager.post('/api/Account', body)).body
  }
  async function keyPair(): Promise<string> {
    return (await manager.post('/api/ApiKey', {})).body.id
  }
  async function tagged(): Promise<string> {
    const { id } = await account()
    await manager.post(`/api/AttributeTagAdd/account/${id}`, { value: 'v' })
    return id
  }
  async function newConnection() {
    const applications = (await manager.get('/api/Applications')).body as { id: string; shortName: string }[]
    const applicationId = applications.find(({ shortName }) => shortName === 'TEST')?.id
    return { applicationId, credentialsJson: '{}' }
  }
  async function connection(): Promise<string> {
    return (await manager.post('/api/RegApplication', await newConnection())).body
  }
  async function block(version: string | null): Promise<string> {
    const id = randomUUID()
    await bring(blockFiles({ id, name: newName(), version }))
    return id
  }
  async function template(version: string | null): Promise<string> {
    const id = randomUUID()
    await bring([workflowFile({ id, name: newName(), version }, await block('1'))])
    return id
  }
  async function hookOf(settings: Record<string, unknown> = {}, script = 'return 1') {
    const workflowId = await deployed(script)
    return enableWebhook(manager, workflowId, settings)
  }
  async function heldRequest(): Promise<string> {
    const hook = await hookOf()
    await manager.post(`/api/WebhookQueueHold/${hook.workflowId}`)
    return (await hook.send({})).body.webhookId
  }
  async function failedRequest(): Promise<string> {
    const hook = await hookOf({}, "throw new Error('broken')")
    const { webhookId } = (await hook.send({})).body
    await hasStatus(manager, hook.workflowId, webhookId, 'Failed')
    return webhookId
  }
  async function upgrade(isPaused = false): Promise<string> {
    const made = createTemplate(manager)
    const first = newBlock('return 1')
    await made.publish('1', { chain: [first] })
    for (let count = 0; count < 2; count++) await manager.post('/api/Workflow', { workflowTemplateId: made.id })
    await made.publish('2', { chain: [{ ...first, script: 'return 2' }] })
    const id = await startUpgrade(manager, made.id, { waveSize: 1, waveMinutes: 60 })
    if (isPaused) await manager.post(`/api/TemplateUpgradeAction/${id}`, { action: 'pause' })
    return id
  }
  async function alarm(): Promise<string> {
    const workflow = await deployWorkflow(manager, ['return { n: 1 }'])
    const expectation = { kind: 'itemsBetween', uniqueBlockId: workflow.blocks[0], min: 2 }
    await manager.post(`/api/Expectations/${workflow.id}`, { expectations: [expectation] })
    await runToEnd(manager, workflow.id)
    return eventually(async () => {
      const { items } = (await manager.post('/api/Alarms', { isOpen: true, size: 100 })).body
      return items.find((item: { workflowId: string }) => item.workflowId === workflow.id)?.id
    })
  }
  async function subscription(): Promise<string> {
    return (await manager.post('/api/EventSubscriptions', { url: 'https://example.com/events' })).body.id
  }
  async function share(): Promise<string> {
    return (await sendUpload(manager, uploadForm([{ name: 'a.txt', content: 'a' }]))).body
  }
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
  const grant = {
    tenantId: graph.tenantId,
    adminClientId: graphApps.admin.clientId,
    adminClientSecret: graphApps.admin.secret,
    connectorClientId: graphApps.connector.clientId,
    host: graph.host,
    sitePath: graphApps.sitePath,
    role: 'write',
    authUrl: graph.origin,
    graphUrl: graph.origin,
  }
  const globalVault = (verb: string) => `/api/MyVault${verb}Global/${service.firstAccount.accountId}/audited`
  const schedule = (workflowId: string, isScheduled: boolean) => ({
    workflowId,
    isScheduled,
    scheduleFrequency: '0 4 * * *',
  })

  return {
    AccountCreate: {
      'account.created': async () =>
        post('/api/Account', { email: uniqueEmail(), firstName: 'A', lastName: 'B', roleName: 'User' }),
    },
    AccountUpdate: {
      'account.changed': async () => post(`/api/AccountUpdate/${(await account()).id}`, { firstName: 'Another' }),
    },
    ResendActivation: {
      'account.invitedAgain': async () => post(`/api/ResendActivation/${await invited()}`),
    },
    AccountState: {
      'account.stateChanged': async () => post(`/api/AccountState/${(await account()).id}`, { accountState: 'locked' }),
    },
    ApiKeyCreate: { 'apiKey.created': async () => post('/api/ApiKey', {}) },
    ApiKeyUpdate: { 'apiKey.changed': async () => post(`/api/ApiKey/${await keyPair()}`, { label: 'another' }) },
    DeleteApiKey: { 'apiKey.revoked': async () => get(`/api/DeleteApiKey/${await keyPair()}`) },
    RevealApiKey: {
      'apiKey.revealed': async () => {
        const body = { email: uniqueEmail(), firstName: 'A', lastName: 'B', roleName: 'User', activated: true }
        return get(`/api/RevealApiKey/${(await manager.post('/api/Account', body)).body}`)
      },
    },
    SignIn: {
      'session.started': async () => {
        await withPassword()
        return signIn
      },
    },
    SignOut: {
      'session.ended': async () => {
        const signedIn = await person()
        return () => signedIn.post('/api/SignOut')
      },
    },
    AttributeTagAdd: {
      'tag.added': async () => post(`/api/AttributeTagAdd/account/${(await account()).id}`, { value: 'v' }),
    },
    AttributeTagDelete: {
      'tag.removed': async () => post(`/api/AttributeTagDelete/account/${await tagged()}`, { value: 'v' }),
    },
    CatalogImport: {
      'catalog.imported': async () => {
        const files = blockFiles({ id: randomUUID(), name: newName(), version: '1' })
        return () => bring(files)
      },
    },
    PublishWorkflowTemplate: {
      'workflowTemplate.published': async () => get(`/api/PublishWorkflowTemplate/${await template(null)}`),
    },
    PublishBlockTemplate: {
      'blockTemplate.published': async () => get(`/api/PublishBlockTemplate/${await block(null)}`),
    },
    DeleteWorkflowTemplateDraft: {
      'workflowTemplate.draftDeleted': async () => get(`/api/DeleteWorkflowTemplateDraft/${await template(null)}`),
    },
    DeleteBlockTemplateDraft: {
      'blockTemplate.draftDeleted': async () => get(`/api/DeleteBlockTemplateDraft/${await block(null)}`),
    },
    DeleteApplication: {
      'application.deleted': async () => {
        const id = randomUUID()
        await bring([applicationFile(id, `OWN${randomUUID().slice(0, 6).toUpperCase()}`)])
        return get(`/api/DeleteApplication/${id}`)
      },
    },
    DeleteBlockTemplate: {
      'blockTemplate.deleted': async () => get(`/api/DeleteBlockTemplate/${await block('1')}`),
    },
    DeleteWorkflowTemplate: {
      'workflowTemplate.deleted': async () => get(`/api/DeleteWorkflowTemplate/${await template('1')}`),
    },
    DeleteFunction: {
      'function.deleted': async () => {
        const [id, name] = [randomUUID(), newName()]
        const head = `id: ${id}\nname: ${name}\ndescription: d\ncategory: c\npackage: p\nisAsync: false\narguments: {}\nexamples: []`
        await bring([{ path: `functions/${name}.js`, content: `/*---\n${head}\n---*/\nreturn 1\n` }])
        return get(`/api/DeleteFunction/${id}`)
      },
    },
    RegApplicationCreate: {
      'registeredApplication.created': async () => post('/api/RegApplication', await newConnection()),
    },
    RegApplicationUpdate: {
      'registeredApplication.changed': async () =>
        post(`/api/RegApplication/${await connection()}`, { tagText: 'another' }),
    },
    DeleteRegApplication: {
      'registeredApplication.deleted': async () => get(`/api/DeleteRegApplication/${await connection()}`),
    },
    DocumentLibraryGrant: { 'documentLibrary.granted': async () => post('/api/DocumentLibraryGrant', grant) },
    ApiProxyEmail: {
      'mail.accepted': async () => post('/api/ApiProxyEmail', { subject: 's', body: 'b', toAccountEmail: true }),
    },
    ProxySecureUpload: {
      'share.created': async () => () => sendUpload(manager, uploadForm([{ name: 'a.txt', content: 'a' }])),
    },
    DeleteSecureShare: { 'share.takenBack': async () => get(`/api/DeleteSecureShare/${await share()}`) },
    MyVaultSet: { 'vault.set': async () => post(`/api/MyVaultSet/${await idle()}/key`, { jsonData: 1 }) },
    // What programs read is their daily work; that a person looked is worth a row.
    MyVaultGet: {
      'vault.read': async () => {
        const [id, signedIn] = [await idle(), await person()]
        await manager.post(`/api/MyVaultSet/${id}/key`, { jsonData: 1 })
        return () => signedIn.get(`/api/MyVaultGet/${id}/key`)
      },
    },
    MyVaultRemove: {
      'vault.removed': async () => {
        const id = await idle()
        await manager.post(`/api/MyVaultSet/${id}/key`, { jsonData: 1 })
        return get(`/api/MyVaultRemove/${id}/key`)
      },
    },
    MyVaultSetGlobal: { 'vault.set': async () => post(globalVault('Set'), { jsonData: 1 }) },
    MyVaultGetGlobal: {
      'vault.read': async () => {
        const signedIn = await person()
        await manager.post(globalVault('Set'), { jsonData: 1 })
        return () => signedIn.get(globalVault('Get'))
      },
    },
    MyVaultRemoveGlobal: {
      'vault.removed': async () => {
        await manager.post(globalVault('Set'), { jsonData: 1 })
        return get(globalVault('Remove'))
      },
    },
    WorkflowCreate: {
      'workflow.created': async () => post('/api/Workflow', { name: 'Audited', chain: [{ script: 'return 1' }] }),
    },
    WorkflowUpdate: { 'workflow.changed': async () => post(`/api/Workflow/${await idle()}`, { name: 'Another' }) },
    PushWorkflows: {
      'workflow.created': async () =>
        post('/api/PushWorkflows', {
          workflows: [{ workflow: { name: 'Audited', chain: [{ script: 'return 1' }] } }],
        }),
      'workflow.changed': async () =>
        post('/api/PushWorkflows', { workflows: [{ id: await idle(), revision: 1, workflow: { name: 'Another' } }] }),
    },
    RestoreRevision: {
      'workflow.restored': async () => {
        const id = await idle()
        await manager.post(`/api/Workflow/${id}`, { name: 'Another' })
        return post(`/api/RestoreRevision/${id}`, { revision: 1 })
      },
    },
    TemplateUpgrade: {
      'upgrade.started': async () => {
        const made = createTemplate(manager)
        const first = newBlock('return 1')
        await made.publish('1', { chain: [first] })
        await manager.post('/api/Workflow', { workflowTemplateId: made.id })
        await made.publish('2', { chain: [{ ...first, script: 'return 2' }] })
        return post('/api/TemplateUpgrade', { workflowTemplateId: made.id })
      },
    },
    TemplateUpgradeAction: {
      'upgrade.paused': async () => post(`/api/TemplateUpgradeAction/${await upgrade()}`, { action: 'pause' }),
      'upgrade.resumed': async () => post(`/api/TemplateUpgradeAction/${await upgrade(true)}`, { action: 'resume' }),
      'upgrade.rolledBack': async () =>
        post(`/api/TemplateUpgradeAction/${await upgrade(true)}`, { action: 'rollBack' }),
    },
    DeployWorkflow: { 'workflow.deployed': async () => get(`/api/DeployWorkflow/${await idle()}`) },
    ArchiveWorkflow: { 'workflow.archived': async () => get(`/api/ArchiveWorkflow/${await deployed()}`) },
    DeleteWorkflow: { 'workflow.deleted': async () => get(`/api/DeleteWorkflow/${await idle()}`) },
    WebhookSettingsEnable: {
      'webhook.enabled': async () => post(`/api/WebhookSettingsEnable/${await deployed()}`, {}),
      'webhook.changed': async () =>
        post(`/api/WebhookSettingsEnable/${(await hookOf()).workflowId}`, { skipProcessingAfterErrors: 3 }),
    },
    WebhookSettingsDisable: {
      'webhook.disabled': async () => post(`/api/WebhookSettingsDisable/${(await hookOf()).workflowId}`),
      'webhook.cleaned': async () =>
        post(`/api/WebhookSettingsDisable/${(await hookOf()).workflowId}?disableWithCleanSettings=true`),
    },
    WebhookSandboxPin: {
      'webhook.samplePinned': async () => {
        const workflowId = await idle()
        const hook = await enableWebhook(manager, workflowId)
        const { webhookId } = (await hook.send({})).body
        return post(`/api/WebhookSandboxPin/${workflowId}`, { webhookId })
      },
    },
    WebhookSkip: { 'webhook.skipped': async () => post(`/api/WebhookSkip/${await heldRequest()}`) },
    WebhookRetry: { 'webhook.retried': async () => post(`/api/WebhookRetry/${await failedRequest()}`) },
    WebhookQueueHold: {
      'webhook.held': async () => post(`/api/WebhookQueueHold/${(await hookOf()).workflowId}`),
    },
    WebhookQueueRelease: {
      'webhook.released': async () => {
        const { workflowId } = await hookOf()
        await manager.post(`/api/WebhookQueueHold/${workflowId}`)
        return post(`/api/WebhookQueueRelease/${workflowId}`)
      },
    },
    WebhookReplay: {
      'webhook.replayed': async () => post(`/api/WebhookReplay/${(await hookOf()).workflowId}`, {}),
    },
    StopWorkflowRun: {
      'run.stopped': async () => {
        const id = await deployed('await sleep(60000)')
        return get(`/api/StopWorkflowRun/${id}?runNumber=${await startRun(manager, id)}`)
      },
    },
    ResumeWorkflow: {
      'workflow.resumed': async () => {
        const hook = await hookOf({}, "throw new Error('broken')")
        await service.asOwner('update workflows set auto_failures = 9 where id = $1', [hook.workflowId])
        await hook.send({})
        await eventually(
          async () => (await manager.get(`/api/Workflow/${hook.workflowId}`)).body.isAutoRunPaused === true,
        )
        return get(`/api/ResumeWorkflow/${hook.workflowId}`)
      },
    },
    ReplayStart: {
      'workflow.replayed': async () => {
        const id = await deployed()
        await runToEnd(manager, id)
        return post(`/api/Replay/${id}`, {})
      },
    },
    WorkflowScheduler: {
      'schedule.enabled': async () => post('/api/WorkflowScheduler', schedule(await deployed(), true)),
      'schedule.disabled': async () => {
        const id = await deployed()
        await manager.post('/api/WorkflowScheduler', schedule(id, true))
        return post('/api/WorkflowScheduler', schedule(id, false))
      },
    },
    ExpectationsUpdate: {
      'expectations.changed': async () =>
        post(`/api/Expectations/${await idle()}`, { expectations: [{ kind: 'succeedsWithin', hours: 26 }] }),
    },
    AlarmAction: {
      'alarm.acknowledged': async () => post(`/api/AlarmAction/${await alarm()}`, { action: 'acknowledge' }),
      'alarm.dismissed': async () => post(`/api/AlarmAction/${await alarm()}`, { action: 'dismiss' }),
    },
    EventSubscriptionCreate: {
      'eventSubscription.created': async () =>
        post('/api/EventSubscriptions', { url: 'https://example.com/events', events: ['run.failed'] }),
    },
    EventSubscriptionUpdate: {
      'eventSubscription.changed': async () =>
        post(`/api/EventSubscription/${await subscription()}`, { url: 'https://example.com/others' }),
    },
    DeleteEventSubscription: {
      'eventSubscription.deleted': async () => get(`/api/DeleteEventSubscription/${await subscription()}`),
    },
    NotificationSettingsUpdate: {
      'notifications.changed': async () => post('/api/NotificationSettings', { failureMail: false }),
    },
  }
}

export const graphApps = {
  connector: { clientId: '11111111-0000-4000-8000-000000000001', secret: 'connector-secret' },
  admin: { clientId: '22222222-0000-4000-8000-000000000002', secret: 'admin-secret' },
  sitePath: '/sites/Team',
}
