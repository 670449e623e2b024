const { repository } = getVariables()
if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) throw new Error('The repository must be owner/name.')
const made = []
const failures = []
for (const { title, body, labels } of [].concat(Datasource[0] ?? [])) {
  try {
    const issue = await api.post('GitHub/repos/' + repository + '/issues', fx.compactObject({ title, body, labels }))
    made.push({ number: issue.number, url: issue.html_url })
  } catch (error) {
    failures.push('Issue "' + title + '"' + ': ' + error.message)
  }
}
// All were tried, so that one that is wrong does not hold up the others.
if (failures.length > 0) throw new Error(failures.length + ' of ' + [].concat(Datasource[0] ?? []).length + ' issues failed. ' + failures.join('; '))
return made
