/*---
id: 706773f7-db4f-447d-9d09-7b66e2b8478c
name: isNorwegianOrgNumber
description: Whether nine digits are a valid Norwegian organization number.
category: Checks
package: standard
isAsync: false
arguments:
  value:
    type: string
examples:
  - call: fx.isNorwegianOrgNumber('974 760 673')
    result: true
  - call: fx.isNorwegianOrgNumber('974760674')
    result: false
---*/
const digits = String(value ?? '').replace(/\s/g, '')
if (!/^\d{9}$/.test(digits)) return false
const sum = [3, 2, 7, 6, 5, 4, 3, 2].reduce((total, weight, index) => total + weight * Number(digits[index]), 0)
const check = (11 - (sum % 11)) % 11
return check !== 10 && check === Number(digits[8])
