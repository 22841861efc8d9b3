import { Schedule } from '#console/parts/schedule.tsx'
import type { CheckSchedule } from '#contract/checks/definition.ts'
import { describeInterval } from './check-words.ts'

export function CheckTimes({ schedule }: { schedule: CheckSchedule }) {
  return 'every_minutes' in schedule ? describeInterval(schedule.every_minutes) : <Schedule {...schedule} />
}
