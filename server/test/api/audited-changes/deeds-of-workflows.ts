// Shares, and workflows that are deployed again, upgraded or rolled back.
import { randomUUID } from 'node:crypto'
import { wrongCodesMax } from '@patchbay/contract'
import { expect } from 'vitest'
import { eventually } from '../../harness/eventually.ts'
import { readUpgrade, startUpgrade, twoVersions, upgradeIn } from '../../harness/upgrades.ts'
import { download, postShare, shareFiles } from '../../harness/upload.ts'
import { deployWorkflow, runToEnd } from '../../harness/workflows.ts'
import { type Deed, operator, person, type Surroundings, visitor } from './deed.ts'

export function deedsOfWorkflows(at: Surroundings): Deed[] {
  const byKey = () => ({ ...person(at.service.firstAccount.accountId), keyId: expect.any(String) })
  const share = () => shareFiles(at.service.manager, { code: 'right' })
  async function bringFunction(): Promise<void> {
    const name = `name${randomUUID().slice(0, 8)}`
    const head = `id: ${randomUUID()}\nname: ${name}\ndescription: d\ncategory: c\npackage: p\nisAsync: false\narguments: {}\nexamples: []`
    const files = [{ path: `functions/${name}.js`, content: `/*---\n${head}\n---*/\nreturn 1\n` }]
    expect((await at.service.manager.post('/api/CatalogImport', { files })).status).toBe(200)
  }
  /** An upgraded workflow of which one more failed run is one too many. */
  async function failingUpgrade() {
    const { id, workflowId } = await twoVersions(at.service.manager, 'return 1', 'throw new Error("broken")')
    await at.service.manager.get(`/api/DeployWorkflow/${workflowId}`)
    await runToEnd(at.service.manager, workflowId)
    const upgradeId = await startUpgrade(at.service.manager, id, { watchRuns: 1, failuresMax: 0, waveSize: 1 })
    await eventually(async () => (await readUpgrade(at.service.manager, upgradeId)).counts.upgraded === 1)
    return { workflowId, upgradeId }
  }

  return [
    {
      action: 'share.downloaded',
      name: 'the page of a share',
      prepare: async () => {
        const id = await share()
        return async () => {
          expect((await download(at.service, id, 'right')).status).toBe(200)
          return { target: id, actor: visitor }
        }
      },
    },
    {
      action: 'share.locked',
      name: 'too many wrong codes',
      prepare: async () => {
        const id = await share()
        for (let time = 1; time < wrongCodesMax; time++)
          await postShare(at.service.baseUrl, id, { code: `wrong ${time}` })
        return async () => {
          await postShare(at.service.baseUrl, id, { code: 'wrong' })
          return { target: id, actor: visitor }
        }
      },
    },
    {
      action: 'share.expired',
      name: 'the keeper of the shares',
      prepare: async () => {
        const id = await share()
        await at.service.asOwner("update shares set expires_at = now() - interval '1 minute' where id = $1", [id])
        return async () => {
          await using _another = await at.service.startAnother()
          return { target: id, actor: operator }
        }
      },
    },
    {
      action: 'workflow.deployed',
      name: 'deploying again after a function of the library was changed',
      prepare: async () => {
        const { id } = await deployWorkflow(at.service.manager, ['return 1'])
        await bringFunction()
        return async () => {
          expect((await at.service.manager.get(`/api/DeployWorkflow/${id}`)).status).toBe(200)
          return { target: id, actor: byKey() }
        }
      },
    },
    {
      action: 'workflow.upgraded',
      name: 'a wave of an upgrade',
      prepare: async () => {
        const { id, workflowId } = await twoVersions(at.service.manager)
        return async () => {
          await upgradeIn(at.service.manager, await startUpgrade(at.service.manager, id), 'Completed')
          return { target: workflowId, actor: byKey(), also: ['upgrade.started'] }
        }
      },
    },
    {
      action: 'workflow.rolledBack',
      name: 'runs that fail after the upgrade',
      prepare: async () => {
        const { workflowId, upgradeId } = await failingUpgrade()
        return async () => {
          await runToEnd(at.service.manager, workflowId)
          await upgradeIn(at.service.manager, upgradeId, 'Stopped')
          return { target: workflowId, actor: byKey(), also: ['upgrade.stopped'] }
        }
      },
    },
    {
      action: 'upgrade.stopped',
      name: 'too many failures after an upgrade',
      prepare: async () => {
        const { workflowId, upgradeId } = await failingUpgrade()
        return async () => {
          await runToEnd(at.service.manager, workflowId)
          await upgradeIn(at.service.manager, upgradeId, 'Stopped')
          return { target: upgradeId, actor: byKey(), also: ['workflow.rolledBack'] }
        }
      },
    },
  ]
}
