/*---
id: f2015a17-7156-485f-b1d9-e431695179cc
name: isPhone
description: Whether text can be a telephone number (see normalizePhone).
category: Checks
package: standard
isAsync: false
arguments:
  value:
    type: string
  countryCode:
    type: string
    optional: true
examples:
  - call: fx.isPhone('+47 22 33 44 55')
    result: true
  - call: fx.isPhone('call me')
    result: false
---*/
return fx.normalizePhone(value, countryCode) !== null
