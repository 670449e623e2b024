const { query } = getVariables()
const rows = []
for (let start = 1; ; start += 1000) {
  const answer = await api.get('QuickBooks/query?' + fx.queryString({ query: query + ' STARTPOSITION ' + start + ' MAXRESULTS 1000' }))
  const page = Object.values(answer.QueryResponse || {}).find(Array.isArray) || []
  rows.push(...page)
  if (page.length < 1000) break
}
return rows
