const { company, customerNumber } = getVariables()
const companies = (await api.get('BusinessCentral/companies')).value
const chosen = company ? companies.find(({ name }) => name === company) : companies[0]
if (!chosen) throw new Error('The company "' + company + '" does not exist.')
const base = 'companies(' + chosen.id + ')/'
const made = []
const failures = []
for (const order of Datasource[0] ?? []) {
  try {
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
  } catch (error) {
    failures.push('Order ' + order.number + ': ' + error.message)
  }
}
// All were tried, so that one that is wrong does not hold up the others; what was done is remembered.
if (failures.length > 0) throw new Error(failures.length + ' of ' + (Datasource[0] ?? []).length + ' orders failed. ' + failures.join('; '))
return made
