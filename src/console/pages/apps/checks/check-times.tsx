import type { CheckSchedule } from '#contract/checks/definition.ts'
import { Schedule } from '../../../parts/schedule.tsx'
import { describeInterval } from './check-words.ts'

export function CheckTimes({ schedule }: { schedule: CheckSchedule }) {
  return 'every_minutes' in schedule ? describeInterval(schedule.every_minutes) : <Schedule {...schedule} />
}
