const { fields } = getVariables()
const filter = dateLastRun ? "updatedDate after '" + dateLastRun.slice(0, 10) + "' or registeredDate after '" + dateLastRun.slice(0, 10) + "'" : undefined
const rows = []
for (let skip = 0; ; skip += 500) {
  const answer = await api.get('SuperOffice/Contact?' + fx.queryString({ $select: fields, $filter: filter, $top: 500, $skip: skip }))
  const page = answer.value || []
  rows.push(...page)
  if (page.length < 500) break
}
return rows
