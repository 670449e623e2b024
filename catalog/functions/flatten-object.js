/*---
id: eb5f7769-edd1-43ce-a159-1a2f9be44215
name: flattenObject
description: Nested values as one level with dotted names.
category: Objects
package: standard
isAsync: false
arguments:
  value:
    type: object
  separator:
    type: string
    optional: true
examples:
  - call: "fx.flattenObject({ a: { b: 1, c: [2, { d: 3 }] }, e: {} })"
    result:
      a.b: 1
      a.c.0: 2
      a.c.1.d: 3
      e: {}
---*/
const flat = []
const walk = (item, name) => {
  const entries = item !== null && typeof item === 'object' ? Object.entries(item) : []
  if (entries.length === 0) flat.push([name, item])
  else for (const [key, inner] of entries) walk(inner, name === '' ? key : name + (separator || '.') + key)
}
walk(value, '')
return Object.fromEntries(flat)
