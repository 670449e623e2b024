const { salesAccount, shippingText, shippingVatRate } = getVariables()

async function customerNumberFor(order) {
  if (order.email) {
    const found = await api.get('Fortnox/customers?' + fx.queryString({ email: order.email }))
    if (found.Customers?.length > 0) return found.Customers[0].CustomerNumber
  }
  const { name, address, zip, city, country } = order.customer
  const made = await api.post('Fortnox/customers', {
    Customer: fx.compactObject({ Name: name, Email: order.email, Address1: address, ZipCode: zip, City: city, CountryCode: country }),
  })
  return made.Customer.CustomerNumber
}

async function invoiceNumberFor(order) {
  const reference = String(order.id)
  // A run that broke off after Fortnox had made the invoice, but before the vault knew, finds it here.
  const found = await api.get('Fortnox/invoices?' + fx.queryString({ externalinvoicereference1: reference }))
  if (found.Invoices?.length > 0) return found.Invoices[0].DocumentNumber
  const rows = order.lines.map((line) => fx.compactObject({
    Description: fx.truncate(line.name, 50), DeliveredQuantity: String(line.quantity), Price: line.unitPrice, VAT: line.vatRate, AccountNumber: salesAccount,
  }))
  if (order.shipping > 0) rows.push(fx.compactObject({ Description: shippingText, DeliveredQuantity: '1', Price: order.shipping, VAT: shippingVatRate, AccountNumber: salesAccount }))
  const made = await api.post('Fortnox/invoices', {
    Invoice: {
      CustomerNumber: await customerNumberFor(order),
      InvoiceDate: order.createdAt.slice(0, 10),
      Currency: order.currency,
      VATIncluded: order.pricesIncludeVat,
      ExternalInvoiceReference1: reference,
      YourOrderNumber: order.number,
      InvoiceRows: rows,
    },
  })
  return made.Invoice.DocumentNumber
}

const made = []
const failures = []
for (const order of Datasource[0] ?? []) {
  try {
    const key = 'invoice of ' + order.id
    if (await myVault.contains(key)) continue
    const invoiceNumber = String(await invoiceNumberFor(order))
    // Written at once and not at the end of the run: a later order that fails must not make this one come again.
    await myVault.set(key, { invoiceNumber, runNumber: run.runNumber })
    console.log('Order ' + order.number + ' is invoice ' + invoiceNumber)
    made.push({ orderId: order.id, invoiceNumber })
  } catch (error) {
    failures.push('Order ' + order.number + ': ' + error.message)
  }
}
// All were tried, so that one that is wrong does not hold up the others; what was done is remembered.
if (failures.length > 0) throw new Error(failures.length + ' of ' + (Datasource[0] ?? []).length + ' orders failed. ' + failures.join('; '))
return made
