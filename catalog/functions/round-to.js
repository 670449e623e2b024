/*---
id: cd395616-b1d7-4219-bb96-4c43f7bbd874
name: roundTo
description: Round half away from zero to a number of decimals, without the surprises of binary fractions.
category: Numbers
package: standard
isAsync: false
arguments:
  value:
    type: number
  decimals:
    type: number
    optional: true
examples:
  - call: fx.roundTo(1.005, 2)
    result: 1.01
  - call: fx.roundTo(-2.5)
    result: -3
  - call: fx.roundTo(1234.5, -2)
    result: 1200
  - call: fx.roundTo(0.0000001, 3)
    result: 0
---*/
const number = Number(value)
if (!Number.isFinite(number)) throw new Error('"' + String(value) + '" is not a number.')
const shift = (text, by) => {
  const [mantissa, exponent] = String(text).split('e')
  return Number(mantissa + 'e' + (Number(exponent || 0) + by))
}
const places = decimals || 0
const rounded = shift(Math.round(shift(Math.abs(number), places)), -places)
return number < 0 && rounded !== 0 ? -rounded : rounded
