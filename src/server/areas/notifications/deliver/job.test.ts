import { expect, it } from 'vitest'
import { DELIVERIES_NOTIFY, RETRY_PAYLOAD } from '../store/reschedule.ts'
import { deliveryJobs } from './job.ts'

it('NO-07 a retry that becomes due wakes the slots of retries alone, anything else all', () => {
  const unused = {} as Parameters<typeof deliveryJobs>[0]
  const jobs = deliveryJobs(unused, { first: 1, retry: 1 })
  const wakes = (payload: string) => jobs.map((job) => job.wakeOn === DELIVERIES_NOTIFY && !job.onNotify?.(payload))
  expect([wakes(RETRY_PAYLOAD), wakes('')]).toEqual([
    [false, true],
    [true, true],
  ])
})
