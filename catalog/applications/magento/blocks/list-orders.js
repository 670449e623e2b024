const { firstRunFrom } = getVariables()
const since = dateLastRun ? fx.dateAdd(dateLastRun, -10, 'minutes') : fx.dateToIso(firstRunFrom || fx.dateAdd(new Date(), -30, 'days'))
const orders = []
for (let page = 1; ; page += 1) {
  const answer = await api.get('Magento/orders?' + fx.queryString({
    'searchCriteria[filter_groups][0][filters][0][field]': 'updated_at',
    'searchCriteria[filter_groups][0][filters][0][value]': fx.dateFormat(since, 'yyyy-MM-dd HH:mm:ss'),
    'searchCriteria[filter_groups][0][filters][0][condition_type]': 'gteq',
    'searchCriteria[sortOrders][0][field]': 'entity_id',
    'searchCriteria[sortOrders][0][direction]': 'ASC',
    'searchCriteria[pageSize]': 100,
    'searchCriteria[currentPage]': page,
  }))
  const items = answer.items || []
  for (const order of items) {
    const address = order.billing_address || {}
    orders.push({
      id: String(order.entity_id),
      number: String(order.increment_id),
      createdAt: fx.dateToIso(order.created_at),
      updatedAt: fx.dateToIso(order.updated_at),
      currency: order.order_currency_code,
      email: order.customer_email ?? null,
      customer: {
        name: address.company || fx.cleanText((address.firstname ?? '') + ' ' + (address.lastname ?? '')) || order.customer_email || 'Web shop customer',
        address: (address.street || []).join(', '),
        zip: address.postcode ?? '',
        city: address.city ?? '',
        country: address.country_id ?? '',
      },
      // The children of a configurable product repeat its line without a price.
      lines: (order.items || []).filter((line) => !line.parent_item_id).map((line) => ({
        sku: line.sku ?? '',
        name: line.name,
        quantity: Number(line.qty_ordered),
        unitPrice: Number(line.price),
        vatRate: Number(line.tax_percent ?? 0),
      })),
      shipping: Number(order.shipping_amount ?? 0),
      total: Number(order.grand_total),
      pricesIncludeVat: false,
    })
  }
  if (items.length === 0 || page * 100 >= answer.total_count) break
}
return orders
