/*---
id: 48fb92ec-2e02-4e70-a486-3ed2b7953463
name: averageBy
description: The mean of a field (or of the items); null for an empty list.
category: Numbers
package: standard
isAsync: false
arguments:
  list:
    type: array
  path:
    type: string
    optional: true
examples:
  - call: "fx.averageBy([{ n: 1 }, { n: 2 }], 'n')"
    result: 1.5
  - call: fx.averageBy([])
    result: null
---*/
return list.length === 0 ? null : fx.sumBy(list, path) / list.length
