/*---
id: a5b71bf7-5186-4051-ad8d-f8af87514a21
name: snakeCase
description: Words joined as snake_case.
category: Text
package: standard
isAsync: false
arguments:
  value:
    type: string
examples:
  - call: fx.snakeCase('orderLineNo 2')
    result: order_line_no_2
---*/
return (fx.removeAccents(value).match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g) || []).map((word) => word.toLowerCase()).join('_')
