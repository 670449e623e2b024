/*---
id: 6eed382c-3ba1-4782-9693-ea9689ceb625
name: fromMinorUnits
description: An amount from a whole number of the currency's smallest unit.
category: Numbers
package: standard
isAsync: false
arguments:
  units:
    type: number
  currency:
    type: string
examples:
  - call: fx.fromMinorUnits(1999, 'NOK')
    result: 19.99
  - call: fx.fromMinorUnits(500, 'JPY')
    result: 500
---*/
const places = new Intl.NumberFormat('en-US', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits
return fx.roundTo(Number(units) / 10 ** places, places)
