const { repository } = getVariables()
if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) throw new Error('The repository must be owner/name.')
const made = []
for (const { title, body, labels } of [].concat(Datasource[0] ?? [])) {
  const issue = await api.post('GitHub/repos/' + repository + '/issues', fx.compactObject({ title, body, labels }))
  made.push({ number: issue.number, url: issue.html_url })
}
return made
