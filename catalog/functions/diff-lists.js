/*---
id: fb70d73c-5a65-44a9-8b3f-731759e70e98
name: diffLists
description: 'Compare two lists by a key: {added, removed, changed: [{before, after}], unchanged}. Only the fields in
  "fields" are compared when given.'
category: Lists
package: standard
isAsync: false
arguments:
  before:
    type: array
  after:
    type: array
  path:
    type: string
  fields:
    type: array
    optional: true
examples:
  - call: "fx.diffLists([{ id: 1, n: 'a' }, { id: 2, n: 'b' }, { id: 3, n: 'c' }], [{ id: 2, n: 'B' }, { id: 3, n: 'c' }, {
      id: 4, n: 'd' }], 'id')"
    result:
      added:
        - id: 4
          n: d
      removed:
        - id: 1
          n: a
      changed:
        - before:
            id: 2
            n: b
          after:
            id: 2
            n: B
      unchanged:
        - id: 3
          n: c
---*/
const keyOf = (item) => String(fx.getPath(item, path, ''))
const view = (item) => (fields ? fx.pickFields(item, fields) : item)
const old = new Map(before.map((item) => [keyOf(item), item]))
const result = { added: [], removed: [], changed: [], unchanged: [] }
const seen = new Set()
for (const item of after) {
  const key = keyOf(item)
  seen.add(key)
  if (!old.has(key)) result.added.push(item)
  else if (fx.deepEqual(view(old.get(key)), view(item))) result.unchanged.push(item)
  else result.changed.push({ before: old.get(key), after: item })
}
result.removed = before.filter((item) => !seen.has(keyOf(item)))
return result
