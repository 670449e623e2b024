const { teamId, channelId } = getVariables()
const posted = []
for (const item of [].concat(Datasource[0] ?? [])) {
  const content = typeof item === 'string' ? item : item.text
  if (!content) continue
  const answer = await api.post('Teams/teams/' + encodeURIComponent(teamId) + '/channels/' + encodeURIComponent(channelId) + '/messages', { body: { contentType: 'text', content } })
  posted.push({ id: answer.id, webUrl: answer.webUrl ?? null })
}
return posted
