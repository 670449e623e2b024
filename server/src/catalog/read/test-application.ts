/**
 * What the built-in application TEST answers. It has no state, no clock and no network, so a workflow over it gives the
 * same result everywhere and always.
 */
export type TestRequest = { method: string; path: string; data?: unknown }
export type TestAnswer = { statusCode: number; data: unknown }

const employees = [
  ['Ada', 'Lovelace', 'Engineering', 'Lead engineer', '2019-03-01', true],
  ['Grace', 'Hopper', 'Engineering', 'Engineer', '2020-08-17', true],
  ['Katherine', 'Johnson', 'Finance', 'Controller', '2018-01-15', true],
  ['Alan', 'Turing', 'Research', 'Researcher', '2021-06-01', true],
  ['Hedy', 'Lamarr', 'Sales', 'Account manager', '2022-02-01', false],
].map(([firstName, lastName, department, title, startDate, isActive], index) => ({
  id: index + 1,
  firstName,
  lastName,
  email: `${String(firstName).toLowerCase()}@example.com`,
  department,
  title,
  startDate,
  isActive,
}))

const orders = (
  [
    ['Ada Lovelace', 'CHAIR', 'Chair', 2, 25, '2025-01-10T09:00:00.000Z'],
    ['Grace Hopper', 'DESK', 'Desk', 1, 120, '2025-02-11T10:30:00.000Z'],
    ['Alan Turing', 'LAMP', 'Lamp', 3, 19.9, '2025-03-12T12:15:00.000Z'],
    ['Hedy Lamarr', 'CHAIR', 'Chair', 4, 25, '2025-04-13T16:45:00.000Z'],
  ] as const
).map(([name, sku, product, quantity, unitPrice, at], index) => {
  const net = quantity * unitPrice
  return {
    id: String(1001 + index),
    number: `#${1001 + index}`,
    createdAt: at,
    updatedAt: at,
    currency: 'EUR',
    email: `${name.split(' ')[0]?.toLowerCase()}@example.com`,
    customer: { name, address: 'Main street 1', zip: '0001', city: 'Oslo', country: 'NO' },
    lines: [{ sku, name: product, quantity, unitPrice, vatRate: 25 }],
    shipping: 0,
    total: Math.round(net * 125) / 100,
    pricesIncludeVat: false,
  }
})

const endpoints = ['GET meta', 'GET employees', 'GET orders?since=', 'POST echo', 'GET fail?status=']

export function answerTestRequest({ method, path, data }: TestRequest): TestAnswer {
  const [endpoint = '', query = ''] = path.replace(/^\/+/, '').split('?', 2)
  const parameters = new URLSearchParams(query)
  switch (`${method.toUpperCase()} ${endpoint.replace(/\/+$/, '').toLowerCase()}`) {
    case 'GET meta':
      return { statusCode: 200, data: { name: 'Test service', version: 1, endpoints } }
    case 'GET employees':
      return { statusCode: 200, data: employees }
    case 'GET orders':
      return answerOrders(parameters.get('since'))
    case 'POST echo':
      return { statusCode: 200, data: data ?? null }
    case 'GET fail':
      return answerFail(parameters.get('status'))
    default:
      return { statusCode: 404, data: { error: `No such endpoint: ${method.toUpperCase()} ${endpoint}.`, endpoints } }
  }
}

function answerOrders(since: string | null): TestAnswer {
  if (since === null || since === '') return { statusCode: 200, data: orders }
  const from = Date.parse(since)
  if (Number.isNaN(from)) return { statusCode: 400, data: { error: '"since" must be an ISO 8601 date.' } }
  return { statusCode: 200, data: orders.filter((order) => Date.parse(order.updatedAt) >= from) }
}

function answerFail(status: string | null): TestAnswer {
  const statusCode = Number(status ?? 500)
  if (!Number.isInteger(statusCode) || statusCode < 200 || statusCode > 599) {
    return { statusCode: 400, data: { error: '"status" must be a number from 200 to 599.' } }
  }
  return { statusCode, data: { error: `This is the response with status ${statusCode} that was asked for.` } }
}
