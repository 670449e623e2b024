// The shipped template as a customer runs it: real service, real scripts, local servers in place of the web shop and the accounts.
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { Catalog } from '../../src/catalog/index.ts'
import { createAccount } from '../harness/accounts.ts'
import type { Client } from '../harness/client.ts'
import { type HttpTarget, startHttpTarget, type TargetReply, type TargetRequest } from '../harness/http-target.ts'
import { joinService } from '../harness/joined-service.ts'
import type { TestService } from '../harness/service.ts'
import { runToEnd } from '../harness/workflows.ts'

const template = '33b20cef-f049-5977-8987-c68d65804997'
const wooCommerce = 'd67d072b-d997-5cbf-83c0-58e1808cf07a'
const tripletex = '0d2594a8-f2a3-5032-a5f8-d1d87f6a27a4'

type Order = { id: number; reference: string; customerId: number; orderDate: string }

function shopOrder(id: number, email: string) {
  const now = new Date().toISOString().slice(0, 19)
  return {
    id,
    number: id,
    date_created_gmt: now,
    date_modified_gmt: now,
    currency: 'NOK',
    total: '125',
    shipping_total: '0',
    billing: { email, first_name: 'Ada', last_name: 'L', address_1: 'Street 1', postcode: '0150', city: 'Oslo' },
    line_items: [{ sku: 'A', name: 'Tea', quantity: 2, total: '100', total_tax: '25' }],
  }
}

describe('web shop orders to accounting', () => {
  let service: TestService
  let shop: HttpTarget
  let accounts: HttpTarget
  let user: Client
  let shopOrders: ReturnType<typeof shopOrder>[]
  let booked: Order[]
  let customers: { id: number; email: string }[]
  /** The order with this reference is booked, and then the connection breaks before the answer. */
  let breaksAfter: string | undefined

  beforeAll(async () => {
    shop = await startHttpTarget(answerShop)
    accounts = await startHttpTarget(answerAccounts)
    // The definition as shipped, but for the one address that nobody may choose.
    const find = Catalog.prototype.findApplication
    vi.spyOn(Catalog.prototype, 'findApplication').mockImplementation(async function (this: Catalog, ...wanted) {
      const found = await find.apply(this, wanted)
      if (found?.id !== tripletex) return found
      return JSON.parse(JSON.stringify(found).replaceAll('https://{host}', accounts.origin))
    })
    service = await joinService()
  })
  afterAll(async () => {
    await service[Symbol.asyncDispose]()
    vi.restoreAllMocks()
    await Promise.all([shop[Symbol.asyncDispose](), accounts[Symbol.asyncDispose]()])
  })
  beforeEach(async () => {
    user = (await createAccount(service, service.manager, 'User')).client
    shopOrders = [shopOrder(1, 'ada@example.com'), shopOrder(2, 'bob@example.com')]
    booked = []
    customers = []
    breaksAfter = undefined
    accounts.received.length = 0
  })

  function answerShop({ url, headers }: TargetRequest): TargetReply {
    const { pathname, searchParams } = new URL(url, shop.origin)
    if (headers.authorization !== `Basic ${btoa('ck_1:cs_canary')}`) return { status: 401, json: {} }
    if (pathname !== '/wp-json/wc/v3/orders') return { status: 404, json: {} }
    const since = searchParams.get('modified_after') ?? ''
    return { json: shopOrders.filter((order) => `${order.date_modified_gmt}.000Z` >= since) }
  }

  function answerAccounts({ method, url, headers, body }: TargetRequest): TargetReply {
    const { pathname, searchParams } = new URL(url, accounts.origin)
    if (pathname === '/v2/token/session/:create') return { json: { value: { token: 'session-canary' } } }
    if (headers.authorization !== `Basic ${btoa('0:session-canary')}`) return { status: 401, json: {} }
    const sent = body.length > 0 ? JSON.parse(body.toString()) : undefined
    switch (`${method} ${pathname}`) {
      case 'GET /v2/token/session/%3EwhoAmI':
        return { json: { value: {} } }
      case 'GET /v2/customer':
        return { json: { values: customers.filter(({ email }) => email === searchParams.get('email')) } }
      case 'POST /v2/customer':
        customers.push({ id: customers.length + 1, email: sent.email })
        return { status: 201, json: { value: customers.at(-1) } }
      case 'GET /v2/order':
        return {
          json: { values: booked.filter(({ customerId }) => customerId === Number(searchParams.get('customerId'))) },
        }
      case 'POST /v2/order':
        booked.push({ ...sent, customerId: sent.customer.id, id: 100 + booked.length })
        return sent.reference === breaksAfter
          ? { status: 500, body: 'broken' }
          : { status: 201, json: { value: booked.at(-1) } }
      default:
        return { status: 404, json: { url } }
    }
  }

  async function deployed(): Promise<string> {
    const register = async (applicationId: string, credentials: object) => {
      const made = await user.post('/api/RegApplication', {
        applicationId,
        credentialsJson: JSON.stringify(credentials),
      })
      expect(made.status, made.text).toBe(200)
      return made.body
    }
    const applications = {
      WooCommerce: await register(wooCommerce, {
        storeUrl: shop.origin,
        consumerKey: 'ck_1',
        consumerSecret: 'cs_canary',
      }),
      Tripletex: await register(tripletex, { consumerToken: 'consumer-canary', employeeToken: 'employee-canary' }),
    }
    const created = await user.post('/api/Workflow', { workflowTemplateId: template, applications })
    expect(created.status, created.text).toBe(200)
    const answer = await user.get(`/api/DeployWorkflow/${created.body}`)
    expect(answer.status, answer.text).toBe(200)
    return created.body
  }
  const writes = () => accounts.received.filter(({ method }) => method === 'POST')

  it('books each order once: a second run sends nothing again, a third only what is new', async () => {
    const id = await deployed()
    await expect(runToEnd(user, id)).resolves.toMatchObject({ status: 'Ready' })
    expect(booked).toMatchObject([
      {
        reference: '1',
        customerId: 1,
        orderLines: [{ description: 'Tea', count: 2, unitPriceExcludingVatCurrency: 50 }],
      },
      { reference: '2', customerId: 2 },
    ])
    const before = writes().length
    const readBefore = shop.received.length
    await expect(runToEnd(user, id)).resolves.toMatchObject({ status: 'Ready' })
    expect(shop.received.length).toBeGreaterThan(readBefore)
    expect(writes()).toHaveLength(before)
    shopOrders.push(shopOrder(3, 'ada@example.com'))
    await expect(runToEnd(user, id)).resolves.toMatchObject({ status: 'Ready' })
    expect(booked.map(({ reference, customerId }) => [reference, customerId])).toEqual([
      ['1', 1],
      ['2', 2],
      ['3', 1],
    ])
  })

  it('an order that was booked before the connection broke is found and not booked again', async () => {
    const id = await deployed()
    breaksAfter = '2'
    await expect(runToEnd(user, id)).resolves.toMatchObject({ status: 'Error' })
    expect(booked.map(({ reference }) => reference)).toEqual(['1', '2'])
    breaksAfter = undefined
    await expect(runToEnd(user, id)).resolves.toMatchObject({ status: 'Ready' })
    expect(booked.map(({ reference }) => reference)).toEqual(['1', '2'])
  })

  it('every write carries a key of its own, by which a receiver knows a repetition', async () => {
    await runToEnd(user, await deployed())
    const keys = writes().map(({ headers }) => headers['idempotency-key'])
    expect(keys.every((key) => key !== undefined)).toBe(true)
    expect(new Set(keys).size).toBe(keys.length)
  })
})
