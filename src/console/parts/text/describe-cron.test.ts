import { expect, it } from 'vitest'
import { cronWords } from './describe-cron.ts'

it.each([
  ['* * * * *', 'every minute'],
  ['*/5 * * * *', 'every 5 minutes'],
  ['0 * * * *', 'every hour'],
  ['15 * * * *', 'every hour, 15 past'],
  ['0 */6 * * *', 'every 6 hours'],
  ['30 */2 * * *', 'every 2 hours, 30 past'],
  ['0 3 * * *', 'every day at 03:00'],
  ['5 14 * * *', 'every day at 14:05'],
  ['0 9 * * 1', 'every Monday at 09:00'],
  ['0 9 * * 7', 'every Sunday at 09:00'],
  ['0 9 * * 1-5', 'Monday to Friday at 09:00'],
  ['0 9 * * 1,4', 'every Monday and Thursday at 09:00'],
  ['0 9 * * 1,3,5', 'every Monday, Wednesday, Friday at 09:00'],
  ['0 2 1 * *', 'on day 1 of each month at 02:00'],
])('CO-03 the schedule %j is said as %j', (cron, words) => {
  expect(cronWords(cron)).toBe(words)
})

it.each([
  '*/7 * * * *',
  '0 */5 * * *',
  '0 9 1 * 1',
  '0 9 * 6 *',
  '0,30 9 * * *',
  '0 9 * * MON',
  '0 9 L * *',
  '0 9 * * 1-3,5',
  '0 0 9 * * *',
  '',
])('CO-03 the schedule %j has no short words and is shown as it is', (cron) => {
  expect(cronWords(cron)).toBeUndefined()
})
