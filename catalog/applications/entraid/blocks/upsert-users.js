const { createMissing, initialPassword } = getVariables()
const fields = ['displayName', 'givenName', 'surname', 'jobTitle', 'department', 'mobilePhone', 'accountEnabled']
const result = { created: 0, updated: 0, unchanged: 0, missing: [] }
const failures = []
for (const person of Datasource[0] ?? []) {
  try {
    const name = person.userPrincipalName
    if (!name) continue
    const address = 'users/' + encodeURIComponent(name)
    const answer = await api.send('EntraID', { verb: 'GET', requestUrl: address + '?$select=id,' + fields.join(','), responseCodes: [200, 404] }, true)
    const wanted = fx.compactObject(fx.pickFields(person, fields))
    if (answer.statusCode === 404) {
      if (!createMissing || wanted.accountEnabled === false) {
        result.missing.push(name)
        continue
      }
      if (!initialPassword) throw new Error('An initial password is needed to create the user ' + name + '.')
      await api.post('EntraID/users', {
        accountEnabled: true, displayName: name, ...wanted, userPrincipalName: name, mailNickname: fx.slug(name.split('@')[0]),
        passwordProfile: { password: initialPassword, forceChangePasswordNextSignIn: true },
      })
      result.created += 1
      continue
    }
    const changes = Object.fromEntries(Object.entries(wanted).filter(([field, value]) => !fx.deepEqual(value, answer.data[field] ?? null)))
    if (fx.isEmpty(changes)) {
      result.unchanged += 1
      continue
    }
    await api.send('EntraID', { verb: 'PATCH', requestUrl: address, data: changes, responseType: 'Text', responseCodes: [200, 204] })
    console.log(name + ': ' + Object.keys(changes).join(', '))
    result.updated += 1
  } catch (error) {
    failures.push('User ' + person.userPrincipalName + ': ' + error.message)
  }
}
// All were tried, so that one that is wrong does not hold up the others; what was done is remembered.
if (failures.length > 0) throw new Error(failures.length + ' of ' + (Datasource[0] ?? []).length + ' users failed. ' + failures.join('; '))
return result
