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
      lineItems(first: 50) { pageInfo { hasNextPage } nodes { sku title quantity discountedUnitPriceSet { shopMoney { amount } } taxLines { ratePercentage } } }
    }
  }
}`
const amount = (set) => Number(set?.shopMoney?.amount ?? 0)
const orders = []
let after = null
for (;;) {
  const answer = await api.post('Shopify/graphql.json', {
    query,
    variables: { after, filter: [`updated_at:>='${since}'`, filter].filter(Boolean).join(' AND ') },
  })
  // GraphQL reports its errors in an answer with status 200.
  if (answer.errors) throw new Error('Shopify refused the query: ' + JSON.stringify(answer.errors))
  const page = answer.data.orders
  for (const order of page.nodes) {
    if (order.lineItems.pageInfo?.hasNextPage) throw new Error('Order ' + order.name + ' has more than 50 lines.')
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
      lines: order.lineItems.nodes.map((line) => ({
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
