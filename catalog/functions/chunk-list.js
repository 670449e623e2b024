/*---
id: 89aafdb2-2d0a-424c-bb08-9e81afbc6270
name: chunkList
description: A list in pieces of at most the given size.
category: Lists
package: standard
isAsync: false
arguments:
  list:
    type: array
  size:
    type: number
examples:
  - call: fx.chunkList([1, 2, 3, 4, 5], 2)
    result:
      - - 1
        - 2
      - - 3
        - 4
      - - 5
  - call: fx.chunkList([], 2)
    result: []
---*/
if (!Number.isInteger(size) || size < 1) throw new Error('The size must be a whole number of at least 1.')
const pieces = []
for (let start = 0; start < list.length; start += size) pieces.push(list.slice(start, start + size))
return pieces
