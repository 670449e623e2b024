/*---
id: 25aba6e5-034e-42cd-8e0a-69eeffd1b494
name: isIban
description: Whether an international bank account number has a valid checksum.
category: Checks
package: standard
isAsync: false
arguments:
  value:
    type: string
examples:
  - call: fx.isIban('GB82 WEST 1234 5698 7654 32')
    result: true
  - call: fx.isIban('GB82 WEST 1234 5698 7654 33')
    result: false
---*/
const text = String(value ?? '').replace(/\s/g, '').toUpperCase()
if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(text)) return false
let rest = 0
for (const letter of text.slice(4) + text.slice(0, 4)) {
  const number = parseInt(letter, 36)
  rest = (rest * (number > 9 ? 100 : 10) + number) % 97
}
return rest === 1
