const { folder, library } = getVariables()
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
const place = clean(folder)
let answer = await api.get('SHPT/' + drive + (place ? '/root:/' + encode(place) + ':' : '/root') + '/children?$top=200')
const items = []
for (;;) {
  items.push(...answer.value)
  const next = answer['@odata.nextLink']
  if (!next) break
  const [, origin, rest] = /^(https?:\/\/[^/]+)\/(.*)$/.exec(next)
  answer = await api.send('SHPT', { verb: 'GET', baseUrl: origin, requestUrl: rest })
}
return items.map((item) => ({
  id: item.id,
  name: item.name,
  path: (place ? place + '/' : '') + item.name,
  isFolder: Boolean(item.folder),
  size: item.size ?? null,
  modifiedAt: item.lastModifiedDateTime ?? null,
  webUrl: item.webUrl ?? null,
}))
