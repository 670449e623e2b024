/*---
id: a125192d-83e2-47d3-9095-7057aaf8f4fe
name: pickFields
description: A new object with only the named dotted paths that exist.
category: Objects
package: standard
isAsync: false
arguments:
  value:
    type: object
  paths:
    type: array
examples:
  - call: "fx.pickFields({ id: 1, a: { b: 2, c: 3 } }, ['id', 'a.b', 'x'])"
    result:
      id: 1
      a:
        b: 2
---*/
const absent = {}
return paths.reduce((picked, path) => {
  const found = fx.getPath(value, path, absent)
  return found === absent ? picked : fx.setPath(picked, path, found)
}, {})
