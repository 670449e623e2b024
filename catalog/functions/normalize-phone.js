/*---
id: b651b3de-591b-484c-ade1-edab24391f52
name: normalizePhone
description: A telephone number as + and digits (E.164); countryCode (such as 47) is added to national numbers, whose
  leading 0 is dropped. null when it cannot be one.
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
  - call: fx.normalizePhone('22 33 44 55', '47')
    result: "+4722334455"
  - call: fx.normalizePhone('0046 (0)8-123 456 78')
    result: "+46812345678"
  - call: fx.normalizePhone('070-123 45 67', 46)
    result: "+46701234567"
  - call: fx.normalizePhone('12')
    result: null
---*/
let text = String(value ?? '').trim().replace(/\(0\)/g, '').replace(/[\s().\/\u00a0-]/g, '')
if (text.startsWith('00')) text = '+' + text.slice(2)
if (!text.startsWith('+')) {
  const code = String(countryCode ?? '').replace(/\D/g, '')
  if (code === '') return null
  text = '+' + code + text.replace(/^0/, '')
}
return /^\+[1-9]\d{6,14}$/.test(text) ? text : null
