/*---
id: e86407f2-0553-4614-a22f-fd959ab97f21
name: parseNumber
description: "Read a number as people write it: spaces and apostrophes are dropped, the last of comma and dot is the
  decimal sign unless decimalSign says which. Not a number gives null."
category: Numbers
package: standard
isAsync: false
arguments:
  text:
    type: string|number
  decimalSign:
    type: string
    optional: true
examples:
  - call: fx.parseNumber('1 234,50')
    result: 1234.5
  - call: fx.parseNumber('1.234.567,8')
    result: 1234567.8
  - call: fx.parseNumber('1,234', '.')
    result: 1234
  - call: fx.parseNumber('−12,5 kr')
    result: -12.5
  - call: fx.parseNumber('n/a')
    result: null
---*/
if (typeof text === 'number') return Number.isFinite(text) ? text : null
let digits = String(text ?? '').replace(/[\u2212\u2013]/g, '-').replace(/[\s\u00a0\u202f'’]/g, '').replace(/^[^\d.,+-]+|[^\d.,]+$/g, '')
const comma = digits.lastIndexOf(',')
const dot = digits.lastIndexOf('.')
const many = (sign) => digits.indexOf(sign) !== digits.lastIndexOf(sign)
let decimal = decimalSign
if (!decimal) {
  decimal = comma > dot ? ',' : '.'
  // A sign that stands more than once can only group.
  if (many(decimal)) decimal = ''
}
for (const sign of [',', '.']) if (sign !== decimal) digits = digits.split(sign).join('')
if (decimal === ',') digits = digits.replace(',', '.')
return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(digits) ? Number(digits) : null
