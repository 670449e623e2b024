const { query, library } = getVariables()
const clean = (text) => String(text ?? '').replace(/\\/g, '/').split('/').filter((part) => part !== '' && part !== '.').join('/')
const encode = (text) => text.split('/').map(encodeURIComponent).join('/')
const site = 'sites/{host}:{sitePath}:'
let drive = site + '/drive'
if (library) {
  const drives = await api.get('SHPT/' + site + '/drives?$select=id,name')
  const found = drives.value.find((candidate) => candidate.name.toLowerCase() === String(library).toLowerCase())
  if (!found) throw new Error('The site has no library "' + library + '".')
  drive = 'drives/' + found.id
}
// Inside the quotes of the function a quote is written twice.
const words = encodeURIComponent(String(query).replace(/'/g, "''"))
let answer = await api.get('SHPT/' + drive + "/root/search(q='" + words + "')?$top=200")
const items = []
for (;;) {
  items.push(...answer.value)
  const next = answer['@odata.nextLink']
  if (!next) break
  const [, origin, rest] = /^(https?:\/\/[^/]+)\/(.*)$/.exec(next)
  answer = await api.send('SHPT', { verb: 'GET', baseUrl: origin, requestUrl: rest })
}
return items.map((item) => ({ id: item.id, name: item.name, isFolder: Boolean(item.folder), size: item.size ?? null, webUrl: item.webUrl ?? null }))
