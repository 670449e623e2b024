const { firstRunFrom, status } = getVariables()
// A little overlap: an order saved while the last run was reading must not be missed. What is read twice is known later.
const since = dateLastRun ? fx.dateAdd(dateLastRun, -10, 'minutes') : fx.dateToIso(firstRunFrom || fx.dateAdd(new Date(), -30, 'days'))
const orders = []
for (let page = 1; ; page += 1) {
  const found = await api.get('WooCommerce/orders?' + fx.queryString({
    modified_after: since, dates_are_gmt: true, status: status || 'processing,completed', per_page: 100, page, orderby: 'id', order: 'asc',
  }))
  for (const order of found) {
    const billing = order.billing || {}
    orders.push({
      id: String(order.id),
      number: String(order.number),
      createdAt: fx.dateToIso(order.date_created_gmt),
      updatedAt: fx.dateToIso(order.date_modified_gmt),
      currency: order.currency,
      email: billing.email || null,
      customer: {
        name: billing.company || fx.cleanText(billing.first_name + ' ' + billing.last_name) || billing.email || 'Web shop customer',
        address: [billing.address_1, billing.address_2].filter(Boolean).join(', '),
        zip: billing.postcode ?? '',
        city: billing.city ?? '',
        country: billing.country ?? '',
      },
      // The totals of a line are always without tax; the rate follows from the tax that was charged.
      lines: order.line_items.map((line) => ({
        sku: line.sku ?? '',
        name: line.name,
        quantity: line.quantity,
        unitPrice: line.quantity ? fx.roundTo(Number(line.total) / line.quantity, 4) : 0,
        vatRate: Number(line.total) ? fx.roundTo((Number(line.total_tax) / Number(line.total)) * 100, 0) : 0,
      })),
      shipping: Number(order.shipping_total ?? 0),
      total: Number(order.total),
      pricesIncludeVat: false,
    })
  }
  if (found.length < 100) break
}
console.log(orders.length + ' orders since ' + since)
return orders
