const customers = []
for (let page = 1; ; page += 1) {
  const answer = await api.get('VismaEAccounting/customers?' + fx.queryString({ $page: page, $pagesize: 100 }))
  customers.push(...answer.Data)
  if (page >= answer.Meta.TotalNumberOfPages) break
}
return customers
