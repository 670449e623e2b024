import type { UsageItem } from './usage.ts'

const columns = [
  'accountId',
  'email',
  'startDateTimeUTC',
  'runs',
  'blocks',
  'calls',
  'webhooks',
  'mails',
  'scriptMs',
  'storedBytes',
  'accountName',
] as const satisfies (keyof UsageItem)[]

/** As RFC 4180 says. */
export function toCsv(items: readonly UsageItem[]): string {
  const lines = items.map((item) => columns.map((column) => quoted(String(item[column]))).join(','))
  return [columns.join(','), ...lines, ''].join('\r\n')
}

/** A spreadsheet would compute a cell that begins with one of these signs. */
function quoted(value: string): string {
  const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
