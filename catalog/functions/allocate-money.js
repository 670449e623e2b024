/*---
id: 52a32e5c-807d-4357-a0ef-f9fd5bd6af36
name: allocateMoney
description: Share an amount by weights so that the shares add up to it to the last decimal.
category: Numbers
package: standard
isAsync: false
arguments:
  amount:
    type: number
  weights:
    type: array
  decimals:
    type: number
    optional: true
examples:
  - call: fx.allocateMoney(100, [1, 1, 1])
    result:
      - 33.34
      - 33.33
      - 33.33
  - call: fx.allocateMoney(-10, [70, 30])
    result:
      - -7
      - -3
  - call: fx.allocateMoney(5, [0, 1])
    result:
      - 0
      - 5
---*/
const places = decimals === undefined ? 2 : decimals
const total = weights.reduce((sum, weight) => sum + weight, 0)
if (!(total > 0) || weights.some((weight) => weight < 0)) throw new Error('The weights must not be negative and must add up to more than 0.')
const units = Math.round(Math.abs(fx.roundTo(amount, places)) * 10 ** places)
const exact = weights.map((weight) => units * weight / total)
const shares = exact.map(Math.floor)
const rest = units - shares.reduce((sum, share) => sum + share, 0)
exact.map((value, index) => [value - shares[index], index])
  .sort((a, b) => b[0] - a[0] || a[1] - b[1])
  .slice(0, rest)
  .forEach(([, index]) => { shares[index] += 1 })
return shares.map((share) => fx.roundTo((amount < 0 ? -share : share) / 10 ** places, places) + 0)
