const { fields, keepOthers } = getVariables()
if (!Array.isArray(fields)) throw new Error('The field table must be a list.')
for (const row of fields) {
  if (!row || typeof row.to !== 'string' || row.to === '') throw new Error('Every row of the field table needs "to".')
  if (row.fn && !Object.hasOwn(fx, row.fn)) throw new Error('There is no function "' + row.fn + '".')
}
const valueOf = (item, row) => {
  if ('value' in row) return row.value
  if ('template' in row) return fx.fillTemplate(row.template, item)
  return fx.getPath(item, row.from === undefined ? row.to : row.from, null)
}
const mapOne = async (item) => {
  let mapped = keepOthers ? item : {}
  for (const row of fields) {
    let value = valueOf(item, row)
    if (row.fn && value !== null) value = await fx[row.fn](value, ...(row.args || []))
    if ((value === null || value === undefined || value === '') && 'default' in row) value = row.default
    mapped = fx.setPath(mapped, row.to, value === undefined ? null : value)
  }
  return mapped
}
const input = Datasource[0] ?? null
if (!Array.isArray(input)) return input === null ? null : await mapOne(input)
const result = []
for (const item of input) result.push(await mapOne(item))
return result
