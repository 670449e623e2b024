/*---
id: 26a1c847-63a5-425b-9dc7-9077f83f8e4c
name: formatNumber
description: Write a number for people of a locale with a fixed number of decimals.
category: Numbers
package: standard
isAsync: false
arguments:
  value:
    type: number
  decimals:
    type: number
    optional: true
  locale:
    type: string
    optional: true
examples:
  - call: fx.formatNumber(1234567.891, 2)
    result: 1,234,567.89
  - call: fx.formatNumber(1234.5, 2, 'de-DE')
    result: 1.234,50
---*/
const places = decimals === undefined ? 0 : decimals
return new Intl.NumberFormat(locale || 'en-US', { minimumFractionDigits: places, maximumFractionDigits: places }).format(fx.roundTo(value, places))
