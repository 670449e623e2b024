const { conditions, match } = getVariables()
const text = (value) => String(value ?? '').toLowerCase()
const compare = (a, b) => {
  if (a === null || a === undefined || a === '') return NaN
  if (Number.isFinite(Number(a)) && Number.isFinite(Number(b))) return Number(a) - Number(b)
  // Times are compared as moments, so that different time zones do not matter.
  if (/^\d{4}-\d{2}-\d{2}/.test(a) && /^\d{4}-\d{2}-\d{2}/.test(b)) return new Date(fx.dateToIso(a)) - new Date(fx.dateToIso(b))
  return text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0
}
const equal = (a, b) => (typeof a === 'object' || typeof b === 'object' ? fx.deepEqual(a, b ?? null) : text(a) === text(b))
const operators = {
  equals: equal,
  notEquals: (a, b) => !equal(a, b),
  contains: (a, b) => (Array.isArray(a) ? a.some((item) => equal(item, b)) : text(a).includes(text(b))),
  startsWith: (a, b) => text(a).startsWith(text(b)),
  endsWith: (a, b) => text(a).endsWith(text(b)),
  greater: (a, b) => compare(a, b) > 0,
  less: (a, b) => compare(a, b) < 0,
  greaterOrEqual: (a, b) => compare(a, b) >= 0,
  lessOrEqual: (a, b) => compare(a, b) <= 0,
  in: (a, b) => [].concat(b).some((item) => equal(a, item)),
  notIn: (a, b) => ![].concat(b).some((item) => equal(a, item)),
  empty: (a) => fx.isEmpty(a),
  notEmpty: (a) => !fx.isEmpty(a),
  matches: (a, b) => new RegExp(b, 'u').test(String(a ?? '')),
}
if (!Array.isArray(conditions)) throw new Error('The conditions must be a list.')
for (const { operator } of conditions) {
  if (!Object.hasOwn(operators, operator)) throw new Error('"' + operator + '" is not an operator.')
}
const holds = (item) => ({ field, operator, value }) => operators[operator](fx.getPath(item, field, null), value)
const list = Datasource[0] ?? []
if (!Array.isArray(list)) throw new Error('Filter needs a data source whose result is a list.')
return list.filter((item) => (match === 'any' ? conditions.some(holds(item)) : conditions.every(holds(item))))
