/*---
id: 24305812-b190-45dc-8e92-ad9f97ef898c
name: isoWeek
description: The ISO 8601 week and the year it belongs to.
category: Dates
package: standard
isAsync: false
arguments:
  date:
    type: string|number|Date
  timeZone:
    type: string
    optional: true
examples:
  - call: fx.isoWeek('2024-12-30')
    result:
      year: 2025
      week: 1
  - call: fx.isoWeek('2021-01-03')
    result:
      year: 2020
      week: 53
---*/
const { year, month, day, weekday } = fx.dateParts(date, timeZone)
// A week belongs to the year that holds its Thursday.
const thursday = new Date(Date.UTC(year, month - 1, day - weekday + 4))
const weekYear = thursday.getUTCFullYear()
const week = Math.floor((thursday.getTime() - Date.UTC(weekYear, 0, 1)) / 604800000) + 1
return { year: weekYear, week }
