/*---
id: 6b201cf0-cf80-48e8-851b-f89c6dda741c
name: maskText
description: Hide all but the last characters (4 by default); short text is hidden whole.
category: Text
package: standard
isAsync: false
arguments:
  value:
    type: string
  visible:
    type: number
    optional: true
examples:
  - call: fx.maskText('1234567890')
    result: "******7890"
  - call: fx.maskText('abc')
    result: "***"
---*/
const characters = Array.from(String(value ?? ''))
const shown = visible === undefined ? 4 : Math.max(0, visible)
const hidden = characters.length <= shown ? characters.length : characters.length - shown
return '*'.repeat(hidden) + characters.slice(hidden).join('')
