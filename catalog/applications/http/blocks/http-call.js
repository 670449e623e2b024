const { verb, requestUrl, data, headers, responseType, forEach } = getVariables()
const fillAddress = (item) => requestUrl.replace(/\{\{\s*([^{}]+?)\s*\}\}/g, (match, path) => encodeURIComponent(String(fx.getPath(item, path, ''))))
const fill = (value, item) => {
  if (typeof value === 'string') {
    const whole = /^\{\{\s*([^{}]+?)\s*\}\}$/.exec(value)
    return whole ? fx.getPath(item, whole[1], null) : fx.fillTemplate(value, item)
  }
  if (Array.isArray(value)) return value.map((inner) => fill(inner, item))
  if (value !== null && typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner, item)]))
  return value
}
const callFor = (item) => {
  const sendsBody = verb !== 'GET' && verb !== 'DELETE'
  const body = data === undefined || data === null ? item : fill(data, item)
  return api.send('HTTP', {
    verb,
    requestUrl: fillAddress(item),
    headers: headers || {},
    responseType: responseType || 'Json',
    ...(sendsBody ? { data: body } : {}),
  })
}
const input = Datasource[0] ?? null
if (!forEach) return await callFor(input)
const results = []
const failures = []
const items = [].concat(input ?? [])
for (const [index, item] of items.entries()) {
  try {
    results.push(await callFor(item))
  } catch (error) {
    failures.push('Item ' + (index + 1) + ': ' + error.message)
  }
}
// All were tried, so that one that is wrong does not hold up the others.
if (failures.length > 0) throw new Error(failures.length + ' of ' + items.length + ' items failed. ' + failures.join('; '))
return results
