/*---
id: 6bb02daa-e405-4938-95f8-833a606cf518
name: indexBy
description: An object with each item under the value of a field; the last one wins.
category: Lists
package: standard
isAsync: false
arguments:
  list:
    type: array
  path:
    type: string
examples:
  - call: "fx.indexBy([{ id: 1, n: 'a' }, { id: 2, n: 'b' }], 'id')"
    result:
      "1":
        id: 1
        n: a
      "2":
        id: 2
        n: b
---*/
return Object.fromEntries(list.map((item) => [String(fx.getPath(item, path, '')), item]))
