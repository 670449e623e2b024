// A partner changes a template and brings it to the customers: preview, decide, replay, waves, and one that fails goes back by itself.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../server/test/harness/accounts.ts'
import type { Client } from '../server/test/harness/client.ts'
import { createTemplate, newBlock } from '../server/test/harness/templates.ts'
import { deployWorkflow, runToEnd } from '../server/test/harness/workflows.ts'
import { startVisit, type Visit } from './harness/visit.ts'

let visit: Visit
beforeAll(async () => {
  visit = await startVisit()
})
afterAll(() => visit[Symbol.asyncDispose]())

type Customer = { email: string; client: Client; workflowId: string }

/** A customer with a deployed workflow of the template that has run once. */
async function addCustomer(templateId: string, more: Record<string, unknown> = {}): Promise<Customer> {
  const { email, client } = await createAccount(visit.service, visit.service.manager, 'User')
  const made = await client.post('/api/Workflow', { workflowTemplateId: templateId, name: 'Order sync', ...more })
  expect(made.status, made.text).toBe(200)
  await client.get(`/api/DeployWorkflow/${made.body}`)
  expect((await runToEnd(client, made.body)).status).toBe('Ready')
  return { email, client, workflowId: made.body }
}

/** A block template, and a block made from it that leaves its variables open. */
async function publishBlockTemplate(variables: { shortName: string; [field: string]: unknown }[]) {
  const id = randomUUID()
  const file = { id, name: 'book', description: '', version: '1', state: 'Published', script: 'book.js', variables }
  const files = [
    { path: 'blocks/book.yaml', content: JSON.stringify(file) },
    { path: 'blocks/book.js', content: 'return variables' },
  ]
  const imported = await visit.service.manager.post('/api/CatalogImport', { files })
  expect(imported.status, imported.text).toBe(200)
  const open = variables.map(({ shortName }) => [shortName, { variableSource: 'Value', value: '' }])
  return {
    uniqueBlockId: randomUUID(),
    blockName: 'Book',
    blockTemplateId: id,
    variables: Object.fromEntries(open),
  }
}

describe('a new version of a template', () => {
  it('is previewed, replayed and rolled out in waves; one customer fails, and it rolls back by itself', async () => {
    const template = createTemplate(visit.service.manager)
    const variables = [{ shortName: 'city', displayName: 'City', type: 'text', required: false }]
    const binding = { city: { variableSource: 'Workflow', variableName: 'city' } }
    const block = newBlock('const total = 1\nconst kept = 1\nconst also = 2\nreturn total', {
      blockName: 'Total',
      variables: binding,
    })
    await template.publish('1', { chain: [block], variables })
    const fails = await addCustomer(template.id, { variables: { city: 'Oslo' } })
    const breaks = await addCustomer(template.id)
    const plain = await addCustomer(template.id, { variables: { city: 'Bergen' } })
    const own = { uniqueBlockId: block.uniqueBlockId, script: block.script.replace('return total', 'return total * 2') }
    const customised = await addCustomer(template.id, { variables: { city: 'Narvik' }, chain: [own] })
    // The new version reads the city, which one customer never gave, and a switch in the vault that no recorded run has read.
    const next = "if (myVault.get('strict')) throw new Error('strict mode')\nreturn total + variables.city.length"
    await template.publish('2', {
      chain: [{ ...block, script: block.script.replace('return total', next) }],
      variables,
    })
    await fails.client.post(`/api/MyVaultSet/${fails.workflowId}/strict`, { jsonData: true })

    const page = await visit.open('/upgrades')
    const name = (await visit.service.manager.get(`/api/WorkflowTemplate/${template.id}`)).body.name
    await page.getByLabel('Template').selectOption({ label: name })
    const customers = page.getByRole('table', { name: 'Customers' })
    await customers.getByRole('row', { name: new RegExp(`${plain.email}.*Clean`) }).waitFor()
    await customers.getByRole('row', { name: new RegExp(`${customised.email}.*Conflict`) }).waitFor()

    await page.getByRole('button', { name: /^Conflict/ }).click()
    await customers.getByText(plain.email).waitFor({ state: 'detached' })
    await customers.getByRole('button', { name: customised.email }).click()
    await page.getByRole('region', { name: 'Customer', exact: true }).getByText('return total * 2').waitFor()
    await page.getByRole('button', { name: 'Take template’s' }).click()
    await page.getByText('Resolved', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'All customers' }).click()
    await customers.getByRole('row', { name: new RegExp(`${customised.email}.*Resolved`) }).waitFor()

    await page.getByLabel('Workflows per wave').fill('2')
    await page.getByLabel('Minutes between waves').fill('30')
    await page.getByLabel('Runs to watch').fill('1')
    await page.getByLabel('Failures allowed').fill('0')
    await page.getByText('2 waves').waitFor()
    await page.getByRole('button', { name: 'Start upgrade' }).click()
    await page.getByRole('heading', { level: 1, name: `${name} · version 2` }).waitFor()
    const rowOf = (customer: Customer) =>
      page.getByRole('table', { name: 'Workflows of the upgrade' }).getByRole('row', { name: customer.email })
    await rowOf(fails).getByText('Upgraded', { exact: true }).waitFor()
    await rowOf(breaks).getByText('Conflict', { exact: true }).waitFor()
    await rowOf(breaks).getByText('Run 1 was Ready').last().waitFor()
    await rowOf(plain).getByText('Pending', { exact: true }).waitFor()

    expect((await runToEnd(fails.client, fails.workflowId)).status).toBe('Error')
    await rowOf(fails).getByText('Rolled back', { exact: true }).waitFor()
    await page.getByText('The upgrade stopped by itself').waitFor()
    await rowOf(plain).getByText('Skipped', { exact: true }).waitFor()
    expect((await runToEnd(fails.client, fails.workflowId)).status).toBe('Ready')
    await page.context().close()
  })

  it('asks for what the new version needs: values, also of a block, and which connection stands behind a new application', async () => {
    const template = createTemplate(visit.service.manager)
    const block = newBlock('return 1')
    await template.publish('1', { chain: [block] })
    const customer = await addCustomer(template.id)
    const applications = (await customer.client.get('/api/Applications')).body as { id: string; shortName: string }[]
    const applicationId = applications.find(({ shortName }) => shortName === 'TEST')?.id
    await customer.client.post('/api/RegApplication', { applicationId, credentialsJson: '{}', tagText: 'North shop' })
    const booking = await publishBlockTemplate([
      { shortName: 'warehouse', displayName: 'Warehouse', type: 'text', required: true },
    ])
    await template.publish('2', {
      chain: [{ ...block, script: 'return 2' }, booking as never],
      variables: [{ shortName: 'city', displayName: 'City', type: 'text', required: true }],
      applications: ['TEST'],
    })
    const page = await visit.open(`/upgrades?template=${template.id}`)
    const customers = page.getByRole('table', { name: 'Customers' })
    await customers.getByRole('row', { name: new RegExp(`${customer.email}.*Problem`) }).waitFor()
    await customers.getByRole('button', { name: customer.email }).click()
    await page.getByLabel('City').fill('Bergen')
    await page.getByLabel('Warehouse (Book)').fill('North')
    await page.getByLabel('Test service').selectOption({ label: 'North shop' })
    await page.getByText('Resolved', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'All customers' }).click()
    await page.getByRole('button', { name: 'Start upgrade' }).click()
    const row = page.getByRole('table', { name: 'Workflows of the upgrade' }).getByRole('row', { name: customer.email })
    await row.getByText('Upgraded', { exact: true }).waitFor()
    const { body } = await customer.client.get(`/api/Workflow/${customer.workflowId}`)
    expect(body.variables.city.value).toBe('Bergen')
    expect(body.chain[1].variables.warehouse.value).toBe('North')
    expect(Object.keys(body.applications)).toEqual(['TEST'])
    await page.context().close()
  })

  it('is stopped, goes on and is rolled back with one button each', async () => {
    const template = createTemplate(visit.service.manager)
    const block = newBlock('return 1')
    await template.publish('1', { chain: [block] })
    const [first, second] = [await addCustomer(template.id), await addCustomer(template.id)]
    await template.publish('2', { chain: [{ ...block, script: 'return 2' }] })
    const page = await visit.open(`/upgrades?template=${template.id}`)
    await page.getByLabel('Workflows per wave').fill('1')
    await page.getByRole('button', { name: 'Start upgrade' }).click()
    const table = page.getByRole('table', { name: 'Workflows of the upgrade' })
    await table.getByRole('row', { name: first.email }).getByText('Upgraded', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    // The next wave comes when it would have come without the pause, which is minutes from now.
    await page.getByText('Running', { exact: true }).waitFor()
    await table.getByRole('row', { name: second.email }).getByText('Pending', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Roll back' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click()
    await table.getByRole('row', { name: first.email }).getByText('Rolled back', { exact: true }).waitFor()
    expect((await first.client.get(`/api/Workflow/${first.workflowId}`)).body.templateVersion).toBe('1')
    await page.context().close()
  })
})

describe('replay before deploy', () => {
  it('runs recorded runs again with unsaved changes and shows what differs', async () => {
    const { manager } = visit.service
    const { id, blocks } = await deployWorkflow(manager, ["console.log('then'); return { total: 1, lines: [1, 2] }"])
    for (let run = 0; run < 2; run++) await runToEnd(manager, id)
    const page = await visit.open(`/workflows/${id}?block=${blocks[0]}`)
    const script = page.getByRole('textbox', { name: 'Script' })
    await script.click()
    await page.keyboard.press('Control+A')
    await page.keyboard.insertText('return { total: 2, lines: [1, 2] }')
    await page.getByRole('link', { name: 'Replay' }).click()
    const panel = page.getByRole('complementary', { name: 'Replay before deploy' })
    await panel.getByText('your unsaved changes').waitFor()
    await panel.getByRole('button', { name: 'Replay' }).click()
    const runs = panel.getByRole('table', { name: 'Replayed runs' })
    await runs.getByRole('row', { name: /^2 Different/ }).waitFor()
    const difference = panel.getByRole('region', { name: /^Difference of run/ })
    await difference.getByText('"total": 2').waitFor()
    await runs.getByRole('button', { name: '1', exact: true }).click()
    await panel.getByRole('heading', { name: /^Run 1/ }).waitFor()
    const history = await manager.post(`/api/GetRunHistory/${id}`, { page: 0, size: 1 })
    expect(history.body.total).toBe(2)
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save' }).waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.context().close()
  })
})
