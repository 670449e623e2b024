/*---
id: 9aae12a6-afe8-4ec5-9d9a-ab93fcf8cc8e
name: uniqueBy
description: The first item for each value of a field; without a path, the different items.
category: Lists
package: standard
isAsync: false
arguments:
  list:
    type: array
  path:
    type: string
    optional: true
examples:
  - call: "fx.uniqueBy([{ id: 1, v: 'a' }, { id: 1, v: 'b' }], 'id')"
    result:
      - id: 1
        v: a
  - call: fx.uniqueBy([1, '1', 1])
    result:
      - 1
      - "1"
---*/
const seen = new Set()
return list.filter((item) => {
  const value = path ? fx.getPath(item, path, null) : item
  const key = JSON.stringify(value)
  if (seen.has(key)) return false
  seen.add(key)
  return true
})
