// Mails, shares and the vault.
import { sendUpload, uploadForm } from '../../harness/upload.ts'
import { about, type Bench, type Changes } from './change.ts'

export function changesOfStoredValues({ service, manager, post, get, idle, person }: Bench): Changes {
  async function share(): Promise<string> {
    return (await sendUpload(manager, uploadForm([{ name: 'a.txt', content: 'a' }]))).body
  }
  const globalVault = (verb: string) => `/api/MyVault${verb}Global/${service.firstAccount.accountId}/audited`

  return {
    ApiProxyEmail: {
      'mail.accepted': async () => async () => {
        const answer = await manager.post('/api/ApiProxyEmail', { subject: 's', body: 'b', toAccountEmail: true })
        const [mail] = await service.asOwner('select id from mails order by id desc limit 1')
        return { ...answer, text: `${answer.text} ${mail?.['id']}` }
      },
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
        return about(id, () => signedIn.get(`/api/MyVaultGet/${id}/key`))
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
        return about(globalVault('Get'), () => signedIn.get(globalVault('Get')))
      },
    },
    MyVaultRemoveGlobal: {
      'vault.removed': async () => {
        await manager.post(globalVault('Set'), { jsonData: 1 })
        return get(globalVault('Remove'))
      },
    },
  }
}
