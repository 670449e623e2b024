const { teamId, channelId } = getVariables()
const posted = []
const failures = []
for (const item of [].concat(Datasource[0] ?? [])) {
  try {
    const content = typeof item === 'string' ? item : item.text
    if (!content) continue
    const answer = await api.post('Teams/teams/' + encodeURIComponent(teamId) + '/channels/' + encodeURIComponent(channelId) + '/messages', { body: { contentType: 'text', content } })
    posted.push({ id: answer.id, webUrl: answer.webUrl ?? null })
  } catch (error) {
    failures.push('Message "' + fx.truncate(String(item?.text ?? item), 40) + '"' + ': ' + error.message)
  }
}
// All were tried, so that one that is wrong does not hold up the others.
if (failures.length > 0) throw new Error(failures.length + ' of ' + [].concat(Datasource[0] ?? []).length + ' messages failed. ' + failures.join('; '))
return posted
