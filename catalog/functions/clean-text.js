/*---
id: 0046d02d-efd8-47b9-bd48-d1e919df6dc8
name: cleanText
description: Trim, and make every run of white space one space; null and undefined become the empty text.
category: Text
package: standard
isAsync: false
arguments:
  value:
    type: string
examples:
  - call: fx.cleanText('  Kari \n  Nordmann ')
    result: Kari Nordmann
  - call: fx.cleanText(null)
    result: ""
---*/
return value === null || value === undefined ? '' : String(value).replace(/\s+/g, ' ').trim()
