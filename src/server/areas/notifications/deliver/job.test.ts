import { expect, it } from 'vitest'
import { deliveryJobs } from './job.ts'

/** A failed first attempt makes a retry due and notifies nobody, so only this look finds it. */
it('NO-07 what no notification announces, such as a retry, is looked for every five seconds', () => {
  const unused = {} as Parameters<typeof deliveryJobs>[0]
  expect(deliveryJobs(unused, { first: 1, retry: 1 }).map(({ name, pollSeconds }) => [name, pollSeconds])).toEqual([
    ['notifications-first', 5],
    ['notifications-retry', 5],
  ])
})
