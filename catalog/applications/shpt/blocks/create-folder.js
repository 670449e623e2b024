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
let parent = ''
let made = null
for (const name of clean(folder).split('/')) {
  if (name === '') throw new Error('No folder is named.')
  const children = drive + (parent ? '/root:/' + encode(parent) + ':' : '/root') + '/children'
  const answer = await api.send('SHPT', {
    verb: 'POST',
    requestUrl: children,
    data: { name, folder: {}, '@microsoft.graph.conflictBehavior': 'fail' },
    responseCodes: [200, 201, 409],
  }, true)
  parent = parent ? parent + '/' + name : name
  made = answer.statusCode === 409 ? await api.get('SHPT/' + drive + '/root:/' + encode(parent)) : answer.data
}
return { id: made.id, name: made.name, path: parent, webUrl: made.webUrl ?? null }
