import type { Client } from '@patchbay/sdk'

/** The demo never mixes with real data: anything that somebody made stops it. */
export async function refuseIfInUse(manager: Client): Promise<void> {
  const [accounts, workflows, connections] = await Promise.all([
    manager.call('ManagedAccounts', { body: { size: 2 } }),
    manager.call('WorkflowsSearch', { body: { size: 1 } }),
    manager.call('RegApplicationsSearch', { body: { size: 1 } }),
  ])
  const found = [
    accounts.total > 1 && `${accounts.total} accounts`,
    workflows.total > 0 && `${workflows.total} workflows`,
    connections.total > 0 && `${connections.total} connections`,
  ].filter((text) => text !== false)
  if (found.length > 0) {
    throw new Error(
      `This service already holds data (${found.join(', ')}). The demo only fills a fresh one: start it with PATCHBAY_DATA_DIR=./demo-data npm start.`,
    )
  }
}
