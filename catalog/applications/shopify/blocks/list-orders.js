const { firstRunFrom, filter } = getVariables()
// A little overlap: an order saved while the last run was reading must not be missed. What is read twice is known later.
const since = dateLastRun ? fx.dateAdd(dateLastRun, -10, 'minutes') : fx.dateToIso(firstRunFrom || fx.dateAdd(new Date(), -30, 'days'))
const query = `query Orders($after: String, $filter: String) {
  orders(first: 10, after: $after, query: $filter, sortKey: UPDATED_AT) {
    pageInfo { hasNextPage endCursor }
    nodes {
      id name createdAt updatedAt email currencyCode taxesIncluded
      totalPriceSet { shopMoney { amount } }
      totalShippingPriceSet { shopMoney { amount } }
      billingAddress { name address1 address2 zip city countryCodeV2 }
      lineItems(first: 50) { pageInfo { hasNextPage endCursor } nodes { sku title quantity discountedUnitPriceSet { shopMoney { amount } } taxLines { ratePercentage } } }
    }
  }
}`
const lineQuery = `query Lines($id: ID!, $after: String) {
  order(id: $id) {
    lineItems(first: 250, after: $after) { pageInfo { hasNextPage endCursor } nodes { sku title quantity discountedUnitPriceSet { shopMoney { amount } } taxLines { ratePercentage } } }
  }
}`
async function ask(question, variables) {
  const answer = await api.post('Shopify/graphql.json', { query: question, variables })
  // GraphQL reports its errors in an answer with status 200.
  if (answer.errors) throw new Error('Shopify refused the query: ' + JSON.stringify(answer.errors))
  return answer.data
}
// Few orders have more lines than come with them.
async function linesOf(order) {
  const lines = [...order.lineItems.nodes]
  let { pageInfo } = order.lineItems
  while (pageInfo?.hasNextPage) {
    const more = (await ask(lineQuery, { id: order.id, after: pageInfo.endCursor })).order.lineItems
    lines.push(...more.nodes)
    pageInfo = more.pageInfo
  }
  return lines
}
const amount = (set) => Number(set?.shopMoney?.amount ?? 0)
const orders = []
let after = null
for (;;) {
  const { orders: page } = await ask(query, { after, filter: [`updated_at:>='${since}'`, filter].filter(Boolean).join(' AND ') })
  for (const order of page.nodes) {
    const address = order.billingAddress || {}
    orders.push({
      id: order.id,
      number: order.name,
      createdAt: order.createdAt,
      updatedAt: order.updatedAt,
      currency: order.currencyCode,
      email: order.email ?? null,
      customer: {
        name: address.name || order.email || 'Web shop customer',
        address: [address.address1, address.address2].filter(Boolean).join(', '),
        zip: address.zip ?? '',
        city: address.city ?? '',
        country: address.countryCodeV2 ?? '',
      },
      lines: (await linesOf(order)).map((line) => ({
        sku: line.sku ?? '',
        name: line.title,
        quantity: line.quantity,
        unitPrice: amount(line.discountedUnitPriceSet),
        vatRate: fx.sumBy(line.taxLines, 'ratePercentage'),
      })),
      shipping: amount(order.totalShippingPriceSet),
      total: amount(order.totalPriceSet),
      pricesIncludeVat: order.taxesIncluded === true,
    })
  }
  if (!page.pageInfo.hasNextPage) break
  after = page.pageInfo.endCursor
}
console.log(orders.length + ' orders since ' + since)
return orders
