/*---
id: 1987c699-5ae8-4c78-a963-222f08e83129
name: isLuhn
description: Whether digits have a valid Luhn check digit (cards, Swedish organization and OCR numbers).
category: Checks
package: standard
isAsync: false
arguments:
  value:
    type: string
examples:
  - call: fx.isLuhn('4539 1488 0343 6467')
    result: true
  - call: fx.isLuhn('8273 1232 7352 0569')
    result: false
---*/
const digits = String(value ?? '').replace(/[\s-]/g, '')
if (!/^\d{2,}$/.test(digits)) return false
let sum = 0
Array.from(digits).reverse().forEach((digit, index) => {
  const number = Number(digit) * (index % 2 === 1 ? 2 : 1)
  sum += number > 9 ? number - 9 : number
})
return sum % 10 === 0
