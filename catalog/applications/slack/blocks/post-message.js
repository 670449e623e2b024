const { channel, template } = getVariables()
const posted = []
const failures = []
for (const item of [].concat(Datasource[0] ?? [])) {
  try {
    const text = template ? fx.fillTemplate(template, item) : typeof item === 'string' ? item : item.text
    if (!text) continue
    const answer = await api.post('Slack/chat.postMessage', { channel, text })
    // Slack answers 200 also to what it refuses.
    if (!answer.ok) throw new Error('Slack refused the message: ' + answer.error)
    posted.push({ channel: answer.channel, ts: answer.ts })
  } catch (error) {
    failures.push('Message "' + fx.truncate(String(item?.text ?? item), 40) + '"' + ': ' + error.message)
  }
}
// All were tried, so that one that is wrong does not hold up the others.
if (failures.length > 0) throw new Error(failures.length + ' of ' + [].concat(Datasource[0] ?? []).length + ' messages failed. ' + failures.join('; '))
return posted
