const { spreadsheetId, sheet, key } = getVariables()
const items = Datasource[0] ?? []
const base = 'GoogleSheets/spreadsheets/' + encodeURIComponent(spreadsheetId)
const range = (cells) => "'" + String(sheet).replace(/'/g, "''") + "'" + (cells ? '!' + cells : '')
const cell = (value) => (value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : value)
if (items.length === 0) return { updated: 0, added: 0 }

const rows = (await api.get(base + '/values/' + encodeURIComponent(range('')))).values || []
const columns = rows[0]?.length > 0 ? rows[0] : [...new Set([key, ...items.flatMap((item) => Object.keys(item))])]
const keyColumn = columns.indexOf(key)
if (keyColumn < 0) throw new Error('The sheet has no column "' + key + '".')
const rowOf = new Map(rows.slice(1).map((row, index) => [String(row[keyColumn] ?? ''), index + 2]))

const data = rows.length === 0 ? [{ range: range('A1'), values: [columns] }] : []
let end = Math.max(rows.length, 1)
const result = { updated: 0, added: 0 }
for (const item of items) {
  const id = String(item[key] ?? '')
  let row = rowOf.get(id)
  if (row === undefined) {
    end += 1
    row = end
    rowOf.set(id, row)
    result.added += 1
  } else result.updated += 1
  data.push({ range: range('A' + row), values: [columns.map((column) => cell(item[column]))] })
}
// RAW: a value that looks like a formula stays text.
for (const part of fx.chunkList(data, 500)) await api.post(base + '/values:batchUpdate', { valueInputOption: 'RAW', data: part })
return result
