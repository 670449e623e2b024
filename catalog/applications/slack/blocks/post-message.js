const { channel, template } = getVariables()
const posted = []
for (const item of [].concat(Datasource[0] ?? [])) {
  const text = template ? fx.fillTemplate(template, item) : typeof item === 'string' ? item : item.text
  if (!text) continue
  const answer = await api.post('Slack/chat.postMessage', { channel, text })
  // Slack answers 200 also to what it refuses.
  if (!answer.ok) throw new Error('Slack refused the message: ' + answer.error)
  posted.push({ channel: answer.channel, ts: answer.ts })
}
return posted
