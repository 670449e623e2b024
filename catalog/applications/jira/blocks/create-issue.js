const { projectKey, issueType } = getVariables()
const document = (text) => ({
  type: 'doc', version: 1,
  content: String(text).split('\n').filter((line) => line !== '').map((line) => ({ type: 'paragraph', content: [{ type: 'text', text: line }] })),
})
const made = []
const failures = []
for (const { summary, description } of [].concat(Datasource[0] ?? [])) {
  try {
    const fields = { project: { key: projectKey }, issuetype: { name: issueType }, summary: fx.truncate(fx.cleanText(summary), 255) }
    const issue = await api.post('Jira/issue', { fields: description ? { ...fields, description: document(description) } : fields })
    made.push({ id: issue.id, key: issue.key })
  } catch (error) {
    failures.push('Issue "' + summary + '"' + ': ' + error.message)
  }
}
// All were tried, so that one that is wrong does not hold up the others.
if (failures.length > 0) throw new Error(failures.length + ' of ' + [].concat(Datasource[0] ?? []).length + ' issues failed. ' + failures.join('; '))
return made
