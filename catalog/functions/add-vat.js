/*---
id: 1e6774f2-fa82-435d-83e1-a282dfe1c600
name: addVat
description: Net amount and VAT rate in per cent to {net, vat, gross}; vat is rounded so that net + vat = gross.
category: Numbers
package: standard
isAsync: false
arguments:
  net:
    type: number
  rate:
    type: number
  decimals:
    type: number
    optional: true
examples:
  - call: fx.addVat(100, 25)
    result:
      net: 100
      vat: 25
      gross: 125
  - call: fx.addVat(19.99, 25)
    result:
      net: 19.99
      vat: 5
      gross: 24.99
---*/
const places = decimals === undefined ? 2 : decimals
const rounded = fx.roundTo(net, places)
const vat = fx.roundTo(rounded * rate / 100, places)
return { net: rounded, vat, gross: fx.roundTo(rounded + vat, places) }
