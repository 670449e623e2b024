/*---
id: 9e75ac89-5171-4f29-8f4b-747c4bf172fc
name: dateToIso
description: Turn a date (ISO text, milliseconds since 1970 or a Date) into ISO 8601 UTC with milliseconds. Text without
  a time zone is taken as UTC; what is not a date is an error.
category: Dates
package: standard
isAsync: false
arguments:
  value:
    type: string|number|Date
examples:
  - call: fx.dateToIso('2025-03-01T12:00:00+02:00')
    result: 2025-03-01T10:00:00.000Z
  - call: fx.dateToIso('2025-03-01')
    result: 2025-03-01T00:00:00.000Z
  - call: fx.dateToIso(0)
    result: 1970-01-01T00:00:00.000Z
  - call: fx.dateToIso('2025-03-01 08:30')
    result: 2025-03-01T08:30:00.000Z
---*/
let text = value
if (typeof value === 'string') {
  text = value.trim().replace(/^(\d{4}-\d{2}-\d{2}) (\d)/, '$1T$2')
  // Without this the time zone of the machine would decide what a time without a zone means.
  if (/^\d{4}-\d{2}-\d{2}T[\d:.,]+$/.test(text)) text = text.replace(',', '.') + 'Z'
}
const isDateLike = typeof text === 'string' ? text !== '' : typeof text === 'number' || Object.prototype.toString.call(text) === '[object Date]'
const date = new Date(isDateLike ? text : NaN)
if (Number.isNaN(date.getTime())) throw new Error('"' + String(value) + '" is not a date.')
return date.toISOString()
