const { tenantId, accountCode } = getVariables()
let tenant = tenantId
if (!tenant) {
  const connections = await api.send('Xero', { verb: 'GET', baseUrl: 'https://api.xero.com', requestUrl: 'connections' })
  if (connections.length === 0) throw new Error('No Xero organisation was granted.')
  tenant = connections[0].tenantId
}
const headers = { 'Xero-Tenant-Id': tenant }
const made = []
const failures = []
for (const order of Datasource[0] ?? []) {
  try {
    const key = 'invoice of ' + order.id
    if (await myVault.contains(key)) continue
    const reference = String(order.id)
    const found = await api.send('Xero', { verb: 'GET', requestUrl: 'Invoices?' + fx.queryString({ where: 'Reference=="' + reference.replace(/"/g, '') + '"' }), headers })
    let invoice = found.Invoices?.[0]
    if (!invoice) {
      const lines = order.lines.map((line) => ({ Description: line.name, Quantity: line.quantity, UnitAmount: line.unitPrice, AccountCode: accountCode }))
      if (order.shipping > 0) lines.push({ Description: 'Shipping', Quantity: 1, UnitAmount: order.shipping, AccountCode: accountCode })
      const answer = await api.send('Xero', {
        verb: 'POST',
        requestUrl: 'Invoices',
        headers,
        data: {
          Invoices: [{
            Type: 'ACCREC', Status: 'DRAFT', Reference: reference, Date: order.createdAt.slice(0, 10), DueDate: order.createdAt.slice(0, 10), CurrencyCode: order.currency,
            LineAmountTypes: order.pricesIncludeVat ? 'Inclusive' : 'Exclusive', Contact: fx.compactObject({ Name: order.customer.name, EmailAddress: order.email }), LineItems: lines,
          }],
        },
      })
      invoice = answer.Invoices[0]
    }
    await myVault.set(key, { invoiceId: invoice.InvoiceID })
    made.push({ orderId: order.id, invoiceId: invoice.InvoiceID })
  } catch (error) {
    failures.push('Order ' + order.number + ': ' + error.message)
  }
}
// All were tried, so that one that is wrong does not hold up the others; what was done is remembered.
if (failures.length > 0) throw new Error(failures.length + ' of ' + (Datasource[0] ?? []).length + ' orders failed. ' + failures.join('; '))
return made
