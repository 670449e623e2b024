/*---
id: 263e493d-d373-43af-a07f-3d33a07e3b94
name: omitFields
description: A copy without the named fields of the first level.
category: Objects
package: standard
isAsync: false
arguments:
  value:
    type: object
  names:
    type: array
examples:
  - call: "fx.omitFields({ id: 1, secret: 2 }, ['secret'])"
    result:
      id: 1
---*/
return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
