const units = ['KB', 'MB', 'GB', 'TB']

export function byteText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  let value = bytes
  let unit = -1
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en')} ${units[unit]}`
}
