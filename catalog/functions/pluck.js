/*---
id: 86f1a134-c3f6-45ca-87fa-03b0b444a1ac
name: pluck
description: The values of one dotted path of every item.
category: Lists
package: standard
isAsync: false
arguments:
  list:
    type: array
  path:
    type: string
examples:
  - call: "fx.pluck([{ a: { b: 1 } }, {}], 'a.b')"
    result:
      - 1
      - null
---*/
return list.map((item) => fx.getPath(item, path, null))
