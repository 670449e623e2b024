const { folder, conflict, library } = getVariables()
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
const behaviour = conflict || 'replace'
const simpleBytesMax = 4000000
// A part must be a multiple of 320 KiB for the service and of 3 bytes so that the base64 text can be cut without decoding.
const partBytes = 320 * 1024 * 3 * 4

const bytesIn = (base64) => (base64.length / 4) * 3 - (base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0)

async function uploadInParts(target, base64, size) {
  const session = await api.send('SHPT', {
    verb: 'POST',
    requestUrl: target + ':/createUploadSession',
    data: { item: { '@microsoft.graph.conflictBehavior': behaviour } },
  })
  const [, origin, rest] = /^(https?:\/\/[^/]+)\/(.*)$/.exec(session.uploadUrl)
  let start = 0
  for (;;) {
    const end = Math.min(start + partBytes, size)
    const answer = await api.send('SHPT', {
      verb: 'PUT',
      baseUrl: origin,
      requestUrl: rest,
      headers: { 'Content-Type': 'application/octet-stream', 'Content-Range': 'bytes ' + start + '-' + (end - 1) + '/' + size },
      data: { $base64: base64.slice((start / 3) * 4, Math.ceil(end / 3) * 4) },
      responseCodes: [200, 201, 202],
    }, true)
    if (answer.statusCode !== 202) return answer.data
    // The service says what it still lacks; normally that is the byte after this part.
    const next = Number.parseInt(answer.data?.nextExpectedRanges?.[0] ?? String(end), 10)
    if (!(next >= 0 && next < size) || next % 3 !== 0) throw new Error('The upload session asks for a part that cannot be sent.')
    start = next
  }
}

const files = [].concat(Datasource[0] ?? [])
const uploaded = []
const failures = []
for (const file of files) {
  try {
    const base64 = file.contentBase64 === undefined ? fx.base64Encode(String(file.text ?? '')) : String(file.contentBase64).replace(/\s/g, '')
    const target = drive + '/root:/' + encode([clean(folder), clean(file.fileName)].filter((part) => part !== '').join('/'))
    if (!clean(file.fileName)) throw new Error('A file has no name.')
    const size = bytesIn(base64)
    const item = size > simpleBytesMax
      ? await uploadInParts(target, base64, size)
      : await api.send('SHPT', {
        verb: 'PUT',
        requestUrl: target + ':/content?@microsoft.graph.conflictBehavior=' + behaviour,
        headers: { 'Content-Type': 'application/octet-stream' },
        data: { $base64: base64 },
      })
    console.log('Uploaded ' + item.name + ' (' + size + ' bytes).')
    uploaded.push({ id: item.id, name: item.name, size: item.size ?? size, webUrl: item.webUrl ?? null })
  } catch (error) {
    failures.push('File "' + file.fileName + '"' + ': ' + error.message)
  }
}
// All were tried, so that one that is wrong does not hold up the others.
if (failures.length > 0) throw new Error(failures.length + ' of ' + files.length + ' files failed. ' + failures.join('; '))
return uploaded
