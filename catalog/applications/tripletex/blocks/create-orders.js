const { shippingText } = getVariables()

async function customerIdFor(order) {
  if (order.email) {
    const found = await api.get('Tripletex/customer?' + fx.queryString({ email: order.email, fields: 'id', count: 1 }))
    if (found.values.length > 0) return found.values[0].id
  }
  const { name, address, zip, city } = order.customer
  const made = await api.post('Tripletex/customer', fx.compactObject({
    name, email: order.email, isCustomer: true, postalAddress: { addressLine1: address, postalCode: zip, city },
  }))
  return made.value.id
}

async function tripletexIdFor(order) {
  const customerId = await customerIdFor(order)
  const orderDate = order.createdAt.slice(0, 10)
  // A run that broke off after Tripletex had made the order, but before the vault knew, finds it here.
  const found = await api.get('Tripletex/order?' + fx.queryString({
    customerId, orderDateFrom: orderDate, orderDateTo: fx.dateAdd(orderDate, 1, 'days').slice(0, 10), fields: 'id,reference', count: 1000,
  }))
  const known = found.values.find((candidate) => candidate.reference === String(order.id))
  if (known) return known.id
  const price = order.pricesIncludeVat ? 'unitPriceIncludingVatCurrency' : 'unitPriceExcludingVatCurrency'
  const orderLines = order.lines.map((line) => ({ description: line.name, count: line.quantity, [price]: line.unitPrice }))
  if (order.shipping > 0) orderLines.push({ description: shippingText, count: 1, [price]: order.shipping })
  const made = await api.post('Tripletex/order', {
    customer: { id: customerId }, orderDate, deliveryDate: orderDate, reference: String(order.id), isPrioritizeAmountsIncludingVat: order.pricesIncludeVat, orderLines,
  })
  return made.value.id
}

const made = []
const failures = []
for (const order of Datasource[0] ?? []) {
  try {
    const key = 'order of ' + order.id
    if (await myVault.contains(key)) continue
    const tripletexOrderId = await tripletexIdFor(order)
    // Written at once and not at the end of the run: a later order that fails must not make this one come again.
    await myVault.set(key, { tripletexOrderId, runNumber: run.runNumber })
    console.log('Order ' + order.number + ' is Tripletex order ' + tripletexOrderId)
    made.push({ orderId: order.id, tripletexOrderId })
  } catch (error) {
    failures.push('Order ' + order.number + ': ' + error.message)
  }
}
// All were tried, so that one that is wrong does not hold up the others; what was done is remembered.
if (failures.length > 0) throw new Error(failures.length + ' of ' + (Datasource[0] ?? []).length + ' orders failed. ' + failures.join('; '))
return made
