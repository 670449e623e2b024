/*---
id: ab463050-4eaf-4631-9c45-b775df5f705c
name: mergeDeep
description: A new object with the fields of both; where both hold objects they are merged, otherwise the second wins.
  Lists are replaced.
category: Objects
package: standard
isAsync: false
arguments:
  first:
    type: object
  second:
    type: object
examples:
  - call: "fx.mergeDeep({ a: { x: 1, y: 2 }, l: [1] }, { a: { y: 3 }, l: [2] })"
    result:
      a:
        x: 1
        y: 3
      l:
        - 2
---*/
const isPlain = (item) => item !== null && typeof item === 'object' && !Array.isArray(item)
const merge = (a, b) => {
  if (!isPlain(a) || !isPlain(b)) return b === undefined ? a : b
  const fields = new Map(Object.entries(a))
  for (const [key, inner] of Object.entries(b)) fields.set(key, fields.has(key) ? merge(fields.get(key), inner) : inner)
  return Object.fromEntries(fields)
}
return merge(first, second)
