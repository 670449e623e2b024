/*---
id: c898ca98-30e8-474c-94c8-0c263cd15f11
name: unflattenObject
description: Nested values from one level with dotted names.
category: Objects
package: standard
isAsync: false
arguments:
  value:
    type: object
examples:
  - call: "fx.unflattenObject({ 'a.b': 1, 'a.c.0': 2 })"
    result:
      a:
        b: 1
        c:
          - 2
---*/
return Object.entries(value).reduce((nested, [path, item]) => fx.setPath(nested, path, item), {})
