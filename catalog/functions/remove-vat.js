/*---
id: 7fa684b0-9417-4bd3-b486-f2eed137945e
name: removeVat
description: Gross amount and VAT rate in per cent to {net, vat, gross}; vat is what is left so that net + vat = gross.
category: Numbers
package: standard
isAsync: false
arguments:
  gross:
    type: number
  rate:
    type: number
  decimals:
    type: number
    optional: true
examples:
  - call: fx.removeVat(125, 25)
    result:
      net: 100
      vat: 25
      gross: 125
  - call: fx.removeVat(99.9, 15)
    result:
      net: 86.87
      vat: 13.03
      gross: 99.9
---*/
const places = decimals === undefined ? 2 : decimals
const rounded = fx.roundTo(gross, places)
const net = fx.roundTo(rounded / (1 + rate / 100), places)
return { net, vat: fx.roundTo(rounded - net, places), gross: rounded }
