/*---
id: eb9f8d41-e850-4432-8d6b-61ceaeb84606
name: addBusinessDays
description: Add working days (negative to subtract), keeping the clock time and passing over weekends and holidays.
category: Dates
package: standard
isAsync: false
arguments:
  date:
    type: string|number|Date
  days:
    type: number
  holidays:
    type: array
    optional: true
  timeZone:
    type: string
    optional: true
examples:
  - call: fx.addBusinessDays('2025-05-16T08:00:00Z', 1)
    result: 2025-05-19T08:00:00.000Z
  - call: fx.addBusinessDays('2025-05-19', -1, ['2025-05-16'])
    result: 2025-05-15T00:00:00.000Z
---*/
if (!Number.isInteger(days) || Math.abs(days) > 100000) {
  throw new Error('The number of days must be a whole number from -100000 to 100000.')
}
let current = fx.dateToIso(date)
let left = Math.abs(days)
while (left > 0) {
  current = fx.dateAdd(current, days < 0 ? -1 : 1, 'days', timeZone)
  if (fx.isBusinessDay(current, holidays, timeZone)) left -= 1
}
return current
