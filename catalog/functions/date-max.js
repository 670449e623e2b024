/*---
id: 8fc48627-1406-4170-b7df-1d70aa33c1e6
name: dateMax
description: The latest of a list of dates, empty ones left out, as ISO UTC; null for none. Useful as the starting point of the next delta sync.
category: Dates
package: standard
isAsync: false
arguments:
  dates:
    type: array
examples:
  - call: fx.dateMax(['2025-01-01', null, '2025-03-01T00:00:00+01:00'])
    result: 2025-02-28T23:00:00.000Z
  - call: fx.dateMax([])
    result: null
---*/
const known = dates.filter((date) => date !== null && date !== undefined && date !== '').map((date) => fx.dateToIso(date))
return known.reduce((latest, date) => (latest === null || new Date(date) > new Date(latest) ? date : latest), null)
