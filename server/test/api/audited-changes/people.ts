import { createAccount, uniqueEmail } from '../../harness/accounts.ts'
import { about, type Bench, type Changes } from './change.ts'

export function changesOfPeople({ service, manager, post, get, signIn, withPassword, person }: Bench): Changes {
  const account = () => createAccount(service, manager, 'User')
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
  async function subscription(): Promise<string> {
    return (await manager.post('/api/EventSubscriptions', { url: 'https://example.com/events' })).body.id
  }

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
        return about(service.firstAccount.accountId, () => signedIn.post('/api/SignOut'))
      },
    },
    AttributeTagAdd: {
      'tag.added': async () => post(`/api/AttributeTagAdd/account/${(await account()).id}`, { value: 'v' }),
    },
    AttributeTagDelete: {
      'tag.removed': async () => post(`/api/AttributeTagDelete/account/${await tagged()}`, { value: 'v' }),
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
    ErrorWorkflowUpdate: {
      'errorWorkflow.changed': async () =>
        about(service.firstAccount.accountId, () => manager.post('/api/ErrorWorkflow', { workflowId: null })),
    },
    NotificationSettingsUpdate: {
      'notifications.changed': async () =>
        about(service.firstAccount.accountId, () => manager.post('/api/NotificationSettings', { failureMail: false })),
    },
  }
}
