/*---
id: d1ac7ac5-0f81-4082-ab80-1e4dfa937484
name: compactObject
description: A copy without fields that are null, undefined or empty text, at every level; lists keep their length.
category: Objects
package: standard
isAsync: false
arguments:
  value:
    type: any
examples:
  - call: "fx.compactObject({ a: null, b: '', c: 0, d: { e: null, f: false }, g: [null] })"
    result:
      c: 0
      d:
        f: false
      g:
        - null
---*/
const clean = (item) => {
  if (Array.isArray(item)) return item.map(clean)
  if (item === null || typeof item !== 'object') return item
  return Object.fromEntries(Object.entries(item).filter(([, inner]) => inner !== null && inner !== undefined && inner !== '').map(([key, inner]) => [key, clean(inner)]))
}
return clean(value)
