/*---
id: 46194afb-e318-45be-a5c1-e4c145bae381
name: dateStartOf
description: The first moment of the hour, day, week (from Monday), month, quarter or year in the time zone.
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
  - call: fx.dateStartOf('2025-07-16T10:00:00Z', 'week')
    result: 2025-07-14T00:00:00.000Z
  - call: fx.dateStartOf('2025-07-16T23:30:00Z', 'day', 'Europe/Oslo')
    result: 2025-07-16T22:00:00.000Z
  - call: fx.dateStartOf('2025-08-20', 'quarter')
    result: 2025-07-01T00:00:00.000Z
---*/
const { year, month, day, hour, weekday } = fx.dateParts(date, timeZone)
const starts = {
  hour: { year, month, day, hour },
  day: { year, month, day },
  week: { year, month, day: day - weekday + 1 },
  month: { year, month },
  quarter: { year, month: Math.floor((month - 1) / 3) * 3 + 1 },
  year: { year },
}
const start = starts[String(unit).replace(/s$/, '')]
if (!start) throw new Error('"' + unit + '" is not a unit of time.')
return fx.dateFromParts(start, timeZone)
