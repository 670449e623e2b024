const { showInactive } = getVariables()
const answer = await api.post('HiBob/people/search', {
  fields: ['root.id', 'root.email', 'root.firstName', 'root.surname', 'root.displayName', 'work.title', 'work.department', 'personal.communication.mobilePhone', 'internal.status', 'internal.lifecycleStatus'],
  humanReadable: 'REPLACE',
  showInactive: showInactive !== false,
})
return answer.employees.map((person) => ({
  id: person.id,
  email: fx.normalizeEmail(person.email),
  firstName: person.firstName,
  lastName: person.surname,
  displayName: person.displayName,
  title: fx.getPath(person, 'work.title'),
  department: fx.getPath(person, 'work.department'),
  mobilePhone: fx.getPath(person, 'personal.communication.mobilePhone'),
  isActive: String(fx.getPath(person, 'internal.status', 'Active')).toLowerCase() !== 'inactive',
}))
