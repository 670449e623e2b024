/*---
id: 62d0f0b1-767e-4d35-9c94-11cb408481df
name: setPath
description: A copy of the value with one dotted path set; missing objects on the way are made, a number makes a list.
category: Objects
package: standard
isAsync: false
arguments:
  value:
    type: any
  path:
    type: string
  newValue:
    type: any
examples:
  - call: "fx.setPath({ a: 1 }, 'b.c', 2)"
    result:
      a: 1
      b:
        c: 2
  - call: fx.setPath({}, 'lines.0.sku', 'X')
    result:
      lines:
        - sku: X
---*/
const keys = String(path).split('.')
if (keys.some((key) => key === '__proto__')) throw new Error('"' + path + '" is not a path that can be set.')
const put = (current, depth) => {
  if (depth === keys.length) return newValue
  const key = keys[depth]
  const isIndex = /^(0|[1-9]\d{0,5})$/.test(key)
  const copy = Array.isArray(current) ? current.slice() : current !== null && typeof current === 'object' ? { ...current } : isIndex ? [] : {}
  const inner = Object.hasOwn(copy, key) ? copy[key] : undefined
  Object.defineProperty(copy, key, { value: put(inner, depth + 1), writable: true, enumerable: true, configurable: true })
  return copy
}
return put(value, 0)
