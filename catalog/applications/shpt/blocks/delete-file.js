const { path, library } = getVariables()
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
const answer = await api.send('SHPT', {
  verb: 'DELETE',
  requestUrl: drive + '/root:/' + encode(file),
  responseType: 'Text',
  responseCodes: [204, 404],
}, true)
return { path: file, deleted: answer.statusCode === 204 }
