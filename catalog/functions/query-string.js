/*---
id: 3b4fc5fc-92eb-4bd7-a05e-a70aab020c31
name: queryString
description: Write an object as the query of an address, without the question mark. Lists repeat the name; null and
  undefined are left out.
category: Formats
package: standard
isAsync: false
arguments:
  values:
    type: object
examples:
  - call: "fx.queryString({ q: 'a b&c', tag: ['x', 'y'], none: null })"
    result: q=a%20b%26c&tag=x&tag=y
---*/
return Object.entries(values)
  .flatMap(([name, value]) => [].concat(value).map((item) => [name, item]))
  .filter(([, item]) => item !== null && item !== undefined)
  .map(([name, item]) => encodeURIComponent(name) + '=' + encodeURIComponent(String(item)))
  .join('&')
