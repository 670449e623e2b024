/*---
id: 2e95a551-139a-40eb-8a43-ae5fae0b7814
name: deepEqual
description: Whether two JSON values are equal; the order of fields does not matter.
category: Objects
package: standard
isAsync: false
arguments:
  a:
    type: any
  b:
    type: any
examples:
  - call: "fx.deepEqual({ x: 1, y: [1, 2] }, { y: [1, 2], x: 1 })"
    result: true
  - call: fx.deepEqual([1, 2], [2, 1])
    result: false
---*/
const equal = (x, y) => {
  if (Object.is(x, y)) return true
  if (x === null || y === null || typeof x !== 'object' || typeof y !== 'object' || Array.isArray(x) !== Array.isArray(y)) return false
  const keys = Object.keys(x)
  return keys.length === Object.keys(y).length && keys.every((key) => Object.hasOwn(y, key) && equal(x[key], y[key]))
}
return equal(a, b)
