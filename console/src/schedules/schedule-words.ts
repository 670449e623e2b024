// Schedules in words. What cannot be said shortly stays as it was written.
const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const names: Record<string, string> = {
  hourly: '0 * * * *',
  daily: '0 0 * * *',
  weekly: '0 0 * * 1',
  monthly: '0 0 1 * *',
}

export function scheduleWords(frequency: string): string {
  const [minute, hour, day, month, weekday, ...rest] = (names[frequency.toLowerCase()] ?? frequency).trim().split(/\s+/)
  if (rest.length > 0 || weekday === undefined || month !== '*') return frequency
  const step = /^\*\/(\d+)$/.exec(minute ?? '')
  if (step && hour === '*' && day === '*' && weekday === '*') return `Every ${step[1]} minutes`
  if (minute === '*' && hour === '*' && day === '*' && weekday === '*') return 'Every minute'
  if (!/^\d+$/.test(minute ?? '')) return frequency
  if (hour === '*' && day === '*' && weekday === '*') {
    return minute === '0' ? 'Every hour' : `Every hour at minute ${minute}`
  }
  const hours = /^\*\/(\d+)$/.exec(hour ?? '')
  if (hours && day === '*' && weekday === '*') return `Every ${hours[1]} hours`
  if (!/^\d+$/.test(hour ?? '')) return frequency
  const time = `${(hour as string).padStart(2, '0')}:${(minute as string).padStart(2, '0')}`
  if (day === '*' && weekday === '*') return `Every day at ${time}`
  if (day === '*' && weekday === '1-5') return `Weekdays at ${time}`
  if (day === '*' && /^[0-7]$/.test(weekday)) return `Every ${days[Number(weekday) % 7]} at ${time}`
  if (/^\d+$/.test(day ?? '') && weekday === '*') return `Day ${day} of every month at ${time}`
  return frequency
}
