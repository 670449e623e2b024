import type { Client } from '@patchbay/sdk'
import type { FilledService } from './filled-service.ts'

/** What the scenes name in capitals, found in the demo by its names. */
export async function findDemoIds({ manager, clientOf }: FilledService): Promise<Record<string, string>> {
  const { accounts } = await manager.call('ManagedAccounts', { body: { size: 20 } })
  const accountOf = (name: string) => accounts.find(({ email }) => email.startsWith(name))?.id ?? ''
  const [ACCOUNT, FAULTY] = [accountOf('nordic'), accountOf('birch')]
  const customer = clientOf(ACCOUNT)
  const { workflows } = await customer.call('WorkflowsSearch', { body: { size: 50 } })
  const workflowOf = (start: string) => workflows.find(({ name }) => name.startsWith(start))?.id ?? ''
  const ORDERS = workflowOf('Web shop')
  // A customer of whom nothing is refused.
  const CALMACCOUNT = accountOf('harbour')
  const calm = await ordersOf(clientOf(CALMACCOUNT))
  const runOf = async (status: 'Ready' | 'Error') => {
    const { items } = await customer.call('GetRunHistory', {
      params: { workflowId: ORDERS },
      body: { page: 0, size: 1, status },
    })
    return String(items[0]?.lockVersionNumber ?? 1)
  }
  const faulty = await clientOf(FAULTY).call('RegApplicationsSearch', { body: { size: 20 } })
  const applications = await manager.call('Applications', {})
  const templates = await manager.call('WorkflowTemplatesSearch', { body: { size: 100 } })
  const templateOf = (start: string) => templates.items.find(({ name }) => name.startsWith(start))?.id ?? ''
  const upgrades = await manager.call('TemplateUpgrades', { body: { page: 0, size: 1 } })
  const [share] = (await manager.call('SecureShares', {})) as { id: string }[]
  return {
    ACCOUNT,
    FAULTY,
    ORDERS,
    CALMACCOUNT,
    CALMORDERS: calm?.id ?? '',
    CALMBLOCK: calm?.chain.at(-1)?.uniqueBlockId ?? '',
    READY: await runOf('Ready'),
    FAILED: await runOf('Error'),
    INVOICES: workflowOf('Invoices'),
    RETURNS: workflowOf('Returns'),
    STOCK: workflowOf('Stock'),
    CONNECTION: faulty.regApplications.find(({ tagText }) => tagText === 'Old warehouse')?.id ?? '',
    HTTPAPP: applications.find(({ shortName }) => shortName === 'HTTP')?.id ?? '',
    TEMPLATE: templateOf('Hello world'),
    OWNTEMPLATE: templateOf('Invoices'),
    UPGRADE: upgrades.items[0]?.id ?? '',
    SHARE: share?.id ?? '',
  }
}

async function ordersOf(client: Client) {
  const { workflows } = await client.call('WorkflowsSearch', { body: { searchTerm: 'Web shop orders', size: 1 } })
  return workflows[0] && client.call('Workflow', { params: { id: workflows[0].id } })
}
