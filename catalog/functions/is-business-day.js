/*---
id: 1108f2ae-cabb-452e-9420-7b525a6b51a8
name: isBusinessDay
description: Whether the day is neither Saturday nor Sunday nor one of the holidays (a list of YYYY-MM-DD).
category: Dates
package: standard
isAsync: false
arguments:
  date:
    type: string|number|Date
  holidays:
    type: array
    optional: true
  timeZone:
    type: string
    optional: true
examples:
  - call: fx.isBusinessDay('2025-05-16')
    result: true
  - call: fx.isBusinessDay('2025-05-17')
    result: false
  - call: fx.isBusinessDay('2025-05-01', ['2025-05-01'])
    result: false
---*/
const { weekday } = fx.dateParts(date, timeZone)
return weekday < 6 && !(holidays || []).includes(fx.dateFormat(date, 'yyyy-MM-dd', timeZone))
