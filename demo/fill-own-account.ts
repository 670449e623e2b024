import type { Client } from '@patchbay/sdk'
import { connect } from './fill-customer.ts'

/** What a Manager sees in the own account: a template in use, keys, a share, mails. */
export async function fillOwnAccount(manager: Client, testId: string): Promise<number> {
  const connectionId = await connect(manager, testId, 'Test service')
  const templates = await manager.call('WorkflowTemplatesSearch', { body: { searchTerm: 'Hello world' } })
  const hello = templates.items[0]
  const id = (await manager.call('WorkflowCreate', {
    body: { name: 'Hello world', workflowTemplateId: hello?.id as string, applications: { TEST: connectionId } },
  } as never)) as string
  await manager.call('DeployWorkflow', { params: { id } } as never)
  for (let count = 0; count < 8; count += 1) await manager.call('RunWorkflow', { body: { workflowId: id } })
  await manager.call('WorkflowScheduler', { body: { workflowId: id, isScheduled: true, scheduleFrequency: 'hourly' } })
  await manager.call('ApiKeyCreate', { body: { label: 'Nightly export', ipRestriction: ['203.0.113.0/24'] } })
  await manager.call('ApiKeyCreate', { body: { label: 'Build server', expiresDateTimeUTC: inDays(90) } })
  await manager.call('MyVaultSet', {
    params: { workflowId: id, key: 'last greeting' },
    body: { jsonData: { count: 8 } },
  })
  for (const subject of ["Today's orders", 'Stock is low: A-104', 'Weekly summary']) {
    await manager.call('ApiProxyEmail', {
      body: { subject, to: ['orders@example.com'], body: `${subject}. See the attached list.` },
    })
  }
  const files = [new File(['sku;quantity\nA-104;3\n'], 'stock.csv', { type: 'text/csv' })]
  await manager.call('ProxySecureUpload', {
    body: {
      files,
      notificationEmail: 'auditor@example.com',
      subject: 'Stock list',
      code: 'open-sesame',
      secureNote: 'As agreed.',
    },
  })
  return 8
}

function inDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString()
}
