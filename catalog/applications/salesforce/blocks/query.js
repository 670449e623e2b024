const { query } = getVariables()
const soql = fx.fillTemplate(query, { dateLastRun: dateLastRun || '1970-01-01T00:00:00.000Z' })
let answer = await api.get('Salesforce/query?' + fx.queryString({ q: soql }))
const records = answer.records.slice()
while (!answer.done) {
  // The link to the next page starts at the root of the host; its last part belongs below our base address.
  answer = await api.get('Salesforce/query/' + answer.nextRecordsUrl.split('/').pop())
  records.push(...answer.records)
}
return records.map((record) => fx.omitFields(record, ['attributes']))
