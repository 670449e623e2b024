/*---
id: a80ed957-66ec-483e-a18d-9b1375542018
name: isEmpty
description: Whether a value is null, undefined, empty text (also only white space), an empty list or an object without fields.
category: Checks
package: standard
isAsync: false
arguments:
  value:
    type: any
examples:
  - call: fx.isEmpty([])
    result: true
  - call: fx.isEmpty(' ')
    result: true
  - call: fx.isEmpty(0)
    result: false
  - call: "fx.isEmpty({ a: null })"
    result: false
---*/
if (value === null || value === undefined) return true
if (typeof value === 'string') return value.trim() === ''
return typeof value === 'object' && Object.keys(value).length === 0
