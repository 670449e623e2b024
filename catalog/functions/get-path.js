/*---
id: 75cbb437-2b3f-469c-9401-65d659aa74e3
name: getPath
description: Read a value by a dotted path; numbers index lists. The fallback (null by default) is returned for anything
  missing. Only own fields are seen.
category: Objects
package: standard
isAsync: false
arguments:
  value:
    type: any
  path:
    type: string
  fallback:
    type: any
    optional: true
examples:
  - call: "fx.getPath({ a: { b: [{ c: 5 }] } }, 'a.b.0.c')"
    result: 5
  - call: "fx.getPath({ a: 1 }, 'a.b', 'none')"
    result: none
  - call: fx.getPath({}, 'constructor.name')
    result: null
---*/
const missing = fallback === undefined ? null : fallback
let current = value
if (path === '' || path === undefined || path === null) return current === undefined ? missing : current
for (const key of String(path).split('.')) {
  if (current === null || typeof current !== 'object' || !Object.hasOwn(current, key)) return missing
  current = current[key]
}
return current === undefined ? missing : current
