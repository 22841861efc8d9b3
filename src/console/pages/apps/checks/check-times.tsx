import { Schedule } from '#console/parts/text/schedule.tsx'
import type { CheckSchedule } from '#contract/checks/definition.ts'
import { describeInterval } from './describe-check.ts'

export function CheckTimes({ schedule }: { schedule: CheckSchedule }) {
  return 'every_minutes' in schedule ? describeInterval(schedule.every_minutes) : <Schedule {...schedule} />
}
