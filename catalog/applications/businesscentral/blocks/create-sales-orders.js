const { company, customerNumber } = getVariables()
const companies = (await api.get('BusinessCentral/companies')).value
const chosen = company ? companies.find(({ name }) => name === company) : companies[0]
if (!chosen) throw new Error('The company "' + company + '" does not exist.')
const base = 'companies(' + chosen.id + ')/'
const made = []
for (const order of Datasource[0] ?? []) {
  const key = 'sales order of ' + order.id
  if (await myVault.contains(key)) continue
  const reference = fx.truncate(String(order.number), 35, '')
  const filter = "externalDocumentNumber eq '" + reference.replace(/'/g, "''") + "'"
  const found = (await api.get('BusinessCentral/' + base + 'salesOrders?' + fx.queryString({ $filter: filter, $top: 1 }))).value
  const salesOrder = found[0] || await api.post('BusinessCentral/' + base + 'salesOrders', {
    customerNumber, externalDocumentNumber: reference, orderDate: order.createdAt.slice(0, 10),
    salesOrderLines: order.lines.map((line) => ({ lineType: 'Item', lineObjectNumber: line.sku, quantity: line.quantity, unitPrice: line.unitPrice })),
  })
  await myVault.set(key, { number: salesOrder.number })
  made.push({ orderId: order.id, number: salesOrder.number })
}
return made
