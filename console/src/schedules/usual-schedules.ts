/** Offered by name; everything else is a cron expression. */
export const usualSchedules = [
  { value: '*/15 * * * *', label: 'Every 15 minutes' },
  { value: 'hourly', label: 'Every hour' },
  { value: 'daily', label: 'Every day at midnight' },
  { value: '0 6 * * 1-5', label: 'Weekdays at 06:00' },
  { value: 'weekly', label: 'Every Monday at midnight' },
  { value: 'monthly', label: 'First day of every month' },
]
