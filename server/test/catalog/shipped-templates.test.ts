import { describe, expect, it } from 'vitest'
import { runTemplate } from './run-template.ts'
import { type Received, type Reply, startStandIn } from './stand-in.ts'

type ShopifyCall = { variables: { after: string | null; filter: string } }

const shopifyOrder = (id: number) => ({
  id: `gid://shopify/Order/${id}`,
  name: `#${id}`,
  createdAt: '2025-01-10T09:00:00Z',
  updatedAt: '2025-01-10T09:05:00Z',
  email: `buyer${id}@example.com`,
  currencyCode: 'SEK',
  taxesIncluded: true,
  totalPriceSet: { shopMoney: { amount: '249.00' } },
  totalShippingPriceSet: { shopMoney: { amount: '49.00' } },
  billingAddress: {
    name: 'Ada',
    address1: 'Storgatan 1',
    address2: null,
    zip: '11122',
    city: 'Stockholm',
    countryCodeV2: 'SE',
  },
  lineItems: {
    pageInfo: { hasNextPage: false },
    nodes: [
      {
        sku: 'A',
        title: 'Chair',
        quantity: 2,
        discountedUnitPriceSet: { shopMoney: { amount: '100.00' } },
        taxLines: [{ ratePercentage: 25 }],
      },
    ],
  },
})

/** A shop with two pages of orders and accounts that can be told to break at one invoice. */
function shopAndAccounts() {
  const invoices: Record<string, unknown>[] = []
  const state = { failAt: '' }
  return {
    invoices,
    state,
    handle: ({ method, app, path, query, json }: Received): Reply => {
      if (app === 'Shopify') {
        const second = json<ShopifyCall>().variables.after === 'c1'
        const page = { pageInfo: { hasNextPage: !second, endCursor: 'c1' }, nodes: [shopifyOrder(second ? 2 : 1)] }
        return { json: { data: { orders: page } } }
      }
      if (path === 'customers' && method === 'GET') return { json: { Customers: [] } }
      if (path === 'customers') return { json: { Customer: { CustomerNumber: '7' } } }
      if (path === 'invoices' && method === 'GET') {
        const reference = query.get('externalinvoicereference1')
        return { json: { Invoices: invoices.filter((item) => item['ExternalInvoiceReference1'] === reference) } }
      }
      const { Invoice } = json<{ Invoice: Record<string, unknown> }>()
      if (Invoice['YourOrderNumber'] === state.failAt) return { status: 503, json: {} }
      invoices.push({ ...Invoice, DocumentNumber: String(invoices.length + 1) })
      return { json: { Invoice: invoices.at(-1) } }
    },
  }
}

describe('web shop orders to accounting', () => {
  it('makes one invoice for each order, however often the workflow runs', async () => {
    const { invoices, handle } = shopAndAccounts()
    await using standIn = await startStandIn(handle)
    const around = { api: standIn.api, vault: new Map() }
    const first = await runTemplate('Shopify orders to Fortnox invoices', around)
    expect(first['Invoices']).toHaveLength(2)
    expect(invoices[0]).toMatchObject({
      CustomerNumber: '7',
      Currency: 'SEK',
      VATIncluded: true,
      InvoiceRows: [
        { Description: 'Chair', DeliveredQuantity: '2', Price: 100, VAT: 25, AccountNumber: 3001 },
        { Description: 'Shipping', Price: 49 },
      ],
    })
    const again = await runTemplate('Shopify orders to Fortnox invoices', {
      ...around,
      dateLastRun: '2025-01-10T10:00:00Z',
    })
    expect(again['Invoices']).toEqual([])
    expect(invoices).toHaveLength(2)
  })

  it('goes on after a failure in the middle without repeating what was done', async () => {
    const { invoices, state, handle } = shopAndAccounts()
    await using standIn = await startStandIn(handle)
    const around = { api: standIn.api, vault: new Map() }
    state.failAt = '#2'
    await expect(runTemplate('Shopify orders to Fortnox invoices', around)).rejects.toThrow('503')
    state.failAt = ''
    expect((await runTemplate('Shopify orders to Fortnox invoices', around))['Invoices']).toHaveLength(1)
    expect(invoices.map((item) => item['YourOrderNumber'])).toEqual(['#1', '#2'])
  })

  it('tries every order, and then names all that failed', async () => {
    const { invoices, state, handle } = shopAndAccounts()
    await using standIn = await startStandIn(handle)
    const around = { api: standIn.api, vault: new Map() }
    state.failAt = '#1'
    await expect(runTemplate('Shopify orders to Fortnox invoices', around)).rejects.toThrow(
      /1 of 2 orders failed\. Order #1: .*503/,
    )
    expect(invoices.map((item) => item['YourOrderNumber'])).toEqual(['#2'])
  })

  it('reads orders with more lines than come with them', async () => {
    const { invoices, handle } = shopAndAccounts()
    const line = (no: number) => ({
      sku: `S${no}`,
      title: `Line ${no}`,
      quantity: 1,
      discountedUnitPriceSet: { shopMoney: { amount: '1.00' } },
      taxLines: [],
    })
    const lines = (from: number, to: number) => ({
      pageInfo: { hasNextPage: to < 320, endCursor: String(to) },
      nodes: Array.from({ length: to - from }, (_, index) => line(from + index + 1)),
    })
    await using standIn = await startStandIn((request) => {
      if (request.app !== 'Shopify') return handle(request)
      const { variables } = request.json<{ variables: { id?: string; after: string | null } }>()
      if (variables.id === undefined) {
        const order = { ...shopifyOrder(1), lineItems: lines(0, 50) }
        return { json: { data: { orders: { pageInfo: { hasNextPage: false }, nodes: [order] } } } }
      }
      expect(variables.id).toBe('gid://shopify/Order/1')
      const from = Number(variables.after)
      return { json: { data: { order: { lineItems: lines(from, Math.min(from + 250, 320)) } } } }
    })
    await runTemplate('Shopify orders to Fortnox invoices', { api: standIn.api })
    const rows = invoices[0]?.['InvoiceRows'] as { Description: string }[]
    expect(rows.map(({ Description }) => Description).slice(0, -1)).toEqual(
      Array.from({ length: 320 }, (_, index) => `Line ${index + 1}`),
    )
  })

  it('finds an invoice whose note in the vault was lost', async () => {
    const { invoices, handle } = shopAndAccounts()
    await using standIn = await startStandIn(handle)
    await runTemplate('Shopify orders to Fortnox invoices', { api: standIn.api })
    await runTemplate('Shopify orders to Fortnox invoices', { api: standIn.api })
    expect(invoices).toHaveLength(2)
  })

  it('asks the shop for what changed since the last run, with an overlap', async () => {
    const { handle } = shopAndAccounts()
    await using standIn = await startStandIn(handle)
    await runTemplate('Shopify orders to Fortnox invoices', {
      api: standIn.api,
      dateLastRun: '2025-01-10T10:00:00.000Z',
    })
    expect(standIn.received[0]?.json<ShopifyCall>().variables.filter).toBe(
      "updated_at:>='2025-01-10T09:50:00.000Z' AND financial_status:paid",
    )
  })

  it('brings WooCommerce orders to Tripletex once', async () => {
    const orders: Record<string, unknown>[] = []
    await using standIn = await startStandIn(({ method, app, path, json }) => {
      if (app === 'WooCommerce') {
        const billing = {
          first_name: 'Ada',
          last_name: 'L',
          email: 'ada@example.com',
          address_1: 'Gata 1',
          postcode: '0150',
          city: 'Oslo',
          country: 'NO',
        }
        const line = { sku: 'A', name: 'Chair', quantity: 2, total: '160.00', total_tax: '40.00' }
        const dates = { date_created_gmt: '2025-01-10T09:00:00', date_modified_gmt: '2025-01-10T09:00:00' }
        return {
          json: [
            {
              id: 5,
              number: '5',
              currency: 'NOK',
              total: '249',
              shipping_total: '0',
              billing,
              line_items: [line],
              ...dates,
            },
          ],
        }
      }
      if (path === 'customer') return { json: method === 'GET' ? { values: [{ id: 9 }] } : {} }
      if (method === 'GET') return { json: { values: orders } }
      orders.push({ id: 100, ...json() })
      return { json: { value: orders.at(-1) } }
    })
    const around = { api: standIn.api, vault: new Map() }
    const first = await runTemplate('WooCommerce orders to Tripletex', around)
    expect(first['Tripletex orders']).toEqual([{ orderId: '5', tripletexOrderId: 100 }])
    expect(orders[0]).toMatchObject({
      customer: { id: 9 },
      orderDate: '2025-01-10',
      orderLines: [{ count: 2, unitPriceExcludingVatCurrency: 80 }],
    })
    await runTemplate('WooCommerce orders to Tripletex', around)
    await runTemplate('WooCommerce orders to Tripletex', { api: standIn.api })
    expect(orders).toHaveLength(1)
  })
})

it('employees to directory changes only what differs and disables who left', async () => {
  const patches: [string, unknown][] = []
  await using standIn = await startStandIn(({ method, app, path, json }) => {
    if (app === 'HiBob') {
      const person = (id: string, email: string, status: string) => ({
        id,
        email,
        firstName: ' Ada ',
        surname: 'L',
        displayName: 'Ada L',
        work: { title: 'Dev', department: 'R&D' },
        internal: { status },
      })
      return {
        json: {
          employees: [
            person('1', 'A@x.com', 'Active'),
            person('2', 'b@x.com', 'Inactive'),
            person('3', 'new@x.com', 'Active'),
            person('4', 'nonsense', 'Active'),
          ],
        },
      }
    }
    if (method === 'PATCH') {
      patches.push([path, json()])
      return { status: 204 }
    }
    if (path === 'users/new@x.com') return { status: 404, json: {} }
    const user = {
      displayName: 'Ada L',
      givenName: 'Ada',
      surname: 'L',
      jobTitle: 'Dev',
      department: 'R&D',
      mobilePhone: null,
      accountEnabled: true,
    }
    return { json: user }
  })
  const results = await runTemplate('Employees to directory', { api: standIn.api })
  expect(results['Users']).toEqual({ created: 0, updated: 1, unchanged: 1, missing: ['new@x.com'] })
  expect(patches).toEqual([['users/b@x.com', { accountEnabled: false }]])
})

describe('webhook to Slack', () => {
  it('posts one message for each request of a batch', async () => {
    await using standIn = await startStandIn(() => ({ json: { ok: true, channel: 'C1', ts: '1' } }))
    const webhook = [{ body: { number: 7 } }, { body: { number: 8 } }]
    await runTemplate('Webhook to Slack', {
      api: standIn.api,
      webhook,
      variables: { channel: '#orders', text: 'Order {{number}}' },
    })
    expect(standIn.received.map((request) => request.json())).toEqual([
      { channel: '#orders', text: 'Order 7' },
      { channel: '#orders', text: 'Order 8' },
    ])
  })

  it('fails when Slack refuses with status 200', async () => {
    await using standIn = await startStandIn(() => ({ json: { ok: false, error: 'channel_not_found' } }))
    const run = runTemplate('Webhook to Slack', {
      api: standIn.api,
      webhook: { body: 'hi' },
      variables: { channel: 'x' },
    })
    await expect(run).rejects.toThrow('channel_not_found')
  })
})

it('changed contacts to a sheet replaces known rows, adds new ones and stops when nothing changed', async () => {
  let results = [
    { id: '1', properties: { email: 'a@x.com', firstname: 'Ada' }, updatedAt: '2025-01-01T00:00:00Z' },
    { id: '2', properties: { email: '=1+1', firstname: 'Bob' }, updatedAt: '2025-01-02T00:00:00Z' },
  ]
  await using standIn = await startStandIn(({ app, method }) => {
    if (app === 'HubSpot') return { json: { results } }
    return {
      json:
        method === 'GET'
          ? {
              values: [
                ['id', 'email'],
                ['2', 'old@x.com'],
              ],
            }
          : {},
    }
  })
  const around = { api: standIn.api, variables: { spreadsheetId: 'S' }, dateLastRun: '2024-12-31T00:00:00.000Z' }
  expect((await runTemplate('Changed contacts to a sheet', around))['Rows']).toEqual({ updated: 1, added: 1 })
  expect(standIn.received[0]?.json()).toMatchObject({
    filterGroups: [{ filters: [{ operator: 'GTE', value: String(Date.UTC(2024, 11, 31)) }] }],
  })
  expect(standIn.received.at(-1)?.json()).toEqual({
    valueInputOption: 'RAW',
    data: [
      { range: "'Sheet1'!A3", values: [['1', 'a@x.com']] },
      { range: "'Sheet1'!A2", values: [['2', '=1+1']] },
    ],
  })
  results = []
  expect(await runTemplate('Changed contacts to a sheet', around)).toMatchObject({ stopped: true })
})

describe('templates on the built-in test service', () => {
  it('hello world greets every employee', async () => {
    await using standIn = await startStandIn(() => ({ status: 500 }))
    const results = await runTemplate('Hello world', { api: standIn.api, variables: { greeting: 'Hei' } })
    expect(results['Greet']).toContain('Hei, Ada!')
    expect(standIn.received).toEqual([])
  })

  it('the delta reads everything first and later only what changed', async () => {
    await using standIn = await startStandIn(() => ({ status: 500 }))
    const all = await runTemplate('Delta sync on test data', { api: standIn.api })
    expect(all['Send']).toHaveLength(4)
    expect((all['Send'] as unknown[])[0]).toEqual({ reference: '#1001', customer: 'Ada Lovelace', amount: 62.5 })
    const later = await runTemplate('Delta sync on test data', {
      api: standIn.api,
      dateLastRun: '2025-04-01T00:00:00.000Z',
    })
    expect(later['Send']).toHaveLength(1)
    expect(
      await runTemplate('Delta sync on test data', { api: standIn.api, dateLastRun: '2026-01-01T00:00:00.000Z' }),
    ).toMatchObject({ stopped: true })
  })
})
