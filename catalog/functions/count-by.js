/*---
id: 0191757e-fe26-4ee0-853a-f5574d25ea48
name: countBy
description: How often each value of a field occurs.
category: Lists
package: standard
isAsync: false
arguments:
  list:
    type: array
  path:
    type: string
examples:
  - call: "fx.countBy([{ s: 'paid' }, { s: 'open' }, { s: 'paid' }], 's')"
    result:
      paid: 2
      open: 1
---*/
return Object.fromEntries(Object.entries(fx.groupBy(list, path)).map(([key, items]) => [key, items.length]))
