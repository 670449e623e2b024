/*---
id: 134f0aeb-a7c0-4f08-98c0-25dd3cbbedd8
name: clamp
description: Keep a number between two limits.
category: Numbers
package: standard
isAsync: false
arguments:
  value:
    type: number
  low:
    type: number
  high:
    type: number
examples:
  - call: fx.clamp(120, 0, 100)
    result: 100
  - call: fx.clamp(-1, 0, 100)
    result: 0
---*/
return Math.min(Math.max(Number(value), low), high)
