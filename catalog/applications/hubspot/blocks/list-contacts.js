const { properties, firstRunFrom } = getVariables()
const names = String(properties).split(',').map((name) => name.trim()).filter((name) => name !== '')
const from = dateLastRun || firstRunFrom || '1970-01-01'
let since = new Date(fx.dateToIso(from)).getTime()
const contacts = new Map()
let after
for (;;) {
  const answer = await api.post('HubSpot/crm/v3/objects/contacts/search', {
    filterGroups: [{ filters: [{ propertyName: 'lastmodifieddate', operator: 'GTE', value: String(since) }] }],
    sorts: [{ propertyName: 'lastmodifieddate', direction: 'ASCENDING' }],
    properties: names.concat('lastmodifieddate'),
    limit: 100,
    ...(after ? { after } : {}),
  })
  for (const { id, properties: values, updatedAt } of answer.results) contacts.set(id, { id, ...fx.pickFields(values, names), updatedAt })
  after = answer.paging?.next?.after
  if (!after) break
  if (Number(after) >= 9900) {
    // A search ends after 10,000 results; the next one goes on where this one stopped.
    const last = new Date(answer.results[answer.results.length - 1].updatedAt).getTime()
    if (last === since) throw new Error('More than 10,000 contacts changed in the same millisecond.')
    since = last
    after = undefined
  }
}
return [...contacts.values()]
