/*---
id: bb347c98-fc89-4b21-a52e-b45bb2390ec1
name: toMinorUnits
description: An amount as a whole number of the currency's smallest unit (øre, cent).
category: Numbers
package: standard
isAsync: false
arguments:
  amount:
    type: number
  currency:
    type: string
examples:
  - call: fx.toMinorUnits(19.99, 'NOK')
    result: 1999
  - call: fx.toMinorUnits(500, 'JPY')
    result: 500
  - call: fx.toMinorUnits(1.005, 'EUR')
    result: 101
---*/
const places = new Intl.NumberFormat('en-US', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits
return Math.round(fx.roundTo(amount, places) * 10 ** places)
