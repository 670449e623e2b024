/*---
id: cc6089c5-28b6-4a3c-9d73-2a92fee7f471
name: fillTemplate
description: Replace {{path}} by values of an object; what is missing becomes empty.
category: Text
package: standard
isAsync: false
arguments:
  template:
    type: string
  values:
    type: object
examples:
  - call: "fx.fillTemplate('Hi {{customer.name}}, order {{ id }}{{none}}', { id: 7, customer: { name: 'Ada' } })"
    result: Hi Ada, order 7
---*/
return String(template).replace(/\{\{\s*([^{}]+?)\s*\}\}/g, (match, path) => {
  const value = fx.getPath(values, path, '')
  return value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
})
