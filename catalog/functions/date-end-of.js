/*---
id: 0e4e46ad-bb87-4edc-953a-8d6bd23b5f8d
name: dateEndOf
description: The last millisecond of the hour, day, week, month, quarter or year in the time zone.
category: Dates
package: standard
isAsync: false
arguments:
  date:
    type: string|number|Date
  unit:
    type: string
  timeZone:
    type: string
    optional: true
examples:
  - call: fx.dateEndOf('2024-02-10', 'month')
    result: 2024-02-29T23:59:59.999Z
  - call: fx.dateEndOf('2025-08-20', 'quarter')
    result: 2025-09-30T23:59:59.999Z
---*/
const one = String(unit).replace(/s$/, '')
const start = fx.dateStartOf(date, one, timeZone)
const next = one === 'quarter' ? fx.dateAdd(start, 3, 'months', timeZone) : fx.dateAdd(start, 1, one, timeZone)
return new Date(new Date(next).getTime() - 1).toISOString()
