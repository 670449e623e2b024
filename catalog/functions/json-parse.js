/*---
id: 952fa5e7-5230-4e05-acf0-ac410372e93b
name: jsonParse
description: Read JSON; the fallback (null by default) is returned for text that is not JSON.
category: Formats
package: standard
isAsync: false
arguments:
  text:
    type: string
  fallback:
    type: any
    optional: true
examples:
  - call: fx.jsonParse('{"a":1}')
    result:
      a: 1
  - call: fx.jsonParse('oops', [])
    result: []
---*/
try {
  return JSON.parse(text)
} catch {
  return fallback === undefined ? null : fallback
}
