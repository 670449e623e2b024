/*---
id: ba8f269f-38ba-458d-b5dd-9031795210d1
name: truncate
description: Cut text to a number of characters, with an ending when something was cut. No character is cut in two.
category: Text
package: standard
isAsync: false
arguments:
  value:
    type: string
  length:
    type: number
  ending:
    type: string
    optional: true
examples:
  - call: fx.truncate('Integration', 6)
    result: Integ…
  - call: fx.truncate('Short', 6)
    result: Short
  - call: fx.truncate('😀😀😀', 2, '')
    result: 😀😀
---*/
const characters = Array.from(String(value ?? ''))
if (characters.length <= length) return characters.join('')
const end = Array.from(ending === undefined ? '…' : String(ending))
return characters.slice(0, Math.max(0, length - end.length)).concat(end).slice(0, length).join('')
