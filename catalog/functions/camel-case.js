/*---
id: 3b1a64b1-d1b7-486d-beac-55a171947e0a
name: camelCase
description: Words joined as camelCase.
category: Text
package: standard
isAsync: false
arguments:
  value:
    type: string
examples:
  - call: fx.camelCase('Order line_no-2')
    result: orderLineNo2
  - call: fx.camelCase('HTTPServer id')
    result: httpServerId
---*/
return (fx.removeAccents(value).match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g) || [])
  .map((word, index) => (index === 0 ? word.toLowerCase() : word[0].toUpperCase() + word.slice(1).toLowerCase()))
  .join('')
