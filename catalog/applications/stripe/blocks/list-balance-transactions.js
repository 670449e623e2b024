const since = dateLastRun || getVariables().firstRunFrom || fx.dateAdd(new Date(), -30, 'days')
const transactions = []
let startingAfter
for (;;) {
  const answer = await api.get('Stripe/balance_transactions?' + fx.queryString({ 'created[gte]': fx.dateToUnix(since), limit: 100, starting_after: startingAfter }))
  transactions.push(...answer.data)
  if (!answer.has_more) break
  startingAfter = answer.data[answer.data.length - 1].id
}
return transactions.map((item) => {
  const currency = item.currency.toUpperCase()
  const [amount, fee, net] = [item.amount, item.fee, item.net].map((units) => fx.fromMinorUnits(units, currency))
  return { id: item.id, type: item.type, currency, amount, fee, net, created: fx.dateFromUnix(item.created), source: item.source, description: item.description }
})
