/*---
id: 1a486bdc-4f8b-480c-ad1d-7cd1ee8219d9
name: groupBy
description: "An object of lists: the items by the value of a field (a dotted path)."
category: Lists
package: standard
isAsync: false
arguments:
  list:
    type: array
  path:
    type: string
examples:
  - call: "fx.groupBy([{ c: 'NO', n: 1 }, { c: 'SE', n: 2 }, { c: 'NO', n: 3 }], 'c')"
    result:
      NO:
        - c: NO
          n: 1
        - c: NO
          n: 3
      SE:
        - c: SE
          n: 2
---*/
const groups = new Map()
for (const item of list) {
  const key = String(fx.getPath(item, path, ''))
  if (groups.has(key)) groups.get(key).push(item)
  else groups.set(key, [item])
}
return Object.fromEntries(groups)
