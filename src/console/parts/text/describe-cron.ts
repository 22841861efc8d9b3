const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

/**
 * Describes when a cron expression runs, for the common forms. Returns undefined for others: half a sentence would
 * be worse than the expression itself.
 */
export function cronWords(cron: string): string | undefined {
  const [minute = '', hour = '', date = '', month = '', weekday = '', ...rest] = cron.trim().split(/\s{1,9}/)
  if (rest.length > 0 || month !== '*') return undefined
  if (date === '*' && weekday === '*') return everyDay(minute, hour)
  const time = timeOf(minute, hour)
  if (time === undefined) return undefined
  if (weekday === '*') return /^\d{1,2}$/.test(date) ? `on day ${Number(date)} of each month at ${time}` : undefined
  const days = date === '*' ? daysOf(weekday) : undefined
  return days && `${days} at ${time}`
}

function everyDay(minute: string, hour: string): string | undefined {
  const time = timeOf(minute, hour)
  if (time !== undefined) return `every day at ${time}`
  if (hour === '*' && (minute === '*' || minute === '*/1')) return 'every minute'
  const everyMinutes = stepOf(minute)
  if (hour === '*' && everyMinutes !== undefined && 60 % everyMinutes === 0) return `every ${everyMinutes} minutes`
  if (!/^\d{1,2}$/.test(minute)) return undefined
  const past = Number(minute) === 0 ? '' : `, ${Number(minute)} past`
  if (hour === '*' || hour === '*/1') return `every hour${past}`
  const everyHours = stepOf(hour)
  return everyHours !== undefined && 24 % everyHours === 0 ? `every ${everyHours} hours${past}` : undefined
}

function stepOf(field: string): number | undefined {
  const step = /^\*\/(\d{1,2})$/.exec(field)?.[1]
  return step === undefined || Number(step) < 2 ? undefined : Number(step)
}

function timeOf(minute: string, hour: string): string | undefined {
  if (!/^\d{1,2}$/.test(minute) || !/^\d{1,2}$/.test(hour)) return undefined
  return `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
}

/** Days as numbers, such as `1-5` or `1,3`. */
function daysOf(field: string): string | undefined {
  if (!/^[0-7](?:[-,][0-7]){0,7}$/.test(field)) return undefined
  const range = /^(\d)-(\d)$/.exec(field)
  if (range) return `${DAYS[Number(range[1])]} to ${DAYS[Number(range[2])]}`
  if (field.includes('-')) return undefined
  const names = field.split(',').map((day) => DAYS[Number(day)])
  return `every ${names.join(names.length === 2 ? ' and ' : ', ')}`
}
