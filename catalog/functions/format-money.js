/*---
id: e8ddd347-224d-4022-a5c8-f0c99f7a7679
name: formatMoney
description: Write an amount with its currency for people of a locale.
category: Numbers
package: standard
isAsync: false
arguments:
  amount:
    type: number
  currency:
    type: string
  locale:
    type: string
    optional: true
examples:
  - call: fx.formatMoney(1234.5, 'EUR')
    result: €1,234.50
  - call: fx.formatMoney(1234.5, 'JPY')
    result: ¥1,235
---*/
const format = new Intl.NumberFormat(locale || 'en-US', { style: 'currency', currency })
return format.format(fx.roundTo(amount, format.resolvedOptions().maximumFractionDigits))
