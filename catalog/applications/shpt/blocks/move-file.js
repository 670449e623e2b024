const { path, targetFolder, newName, library } = getVariables()
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
const file = clean(path || Datasource[0]?.path)
if (!file) throw new Error('No file is named.')
const change = {}
if (newName) change.name = newName
if (targetFolder) {
  const target = await api.get('SHPT/' + drive + '/root:/' + encode(clean(targetFolder)))
  change.parentReference = { id: target.id }
}
if (fx.isEmpty(change)) throw new Error('Neither a new folder nor a new name is given.')
const item = await api.send('SHPT', { verb: 'PATCH', requestUrl: drive + '/root:/' + encode(file), data: change })
return { id: item.id, name: item.name, webUrl: item.webUrl ?? null }
