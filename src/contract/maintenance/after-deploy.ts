import { z } from 'zod'

/** The fate of a fault since the change for it went live. */
export const AfterDeploy = z.object({
  state: z
    .enum(['gone', 'back', 'no_requests', 'not_read'])
    .describe(
      '`no_requests`: the log shows no request since, so it is neither gone nor back; `not_read`: it was not seen, but not all of the log or of the runs could be read',
    ),
  text: z.string(),
  requests: z.int().describe('Requests in the log of the app since it went live, or runs of the check that failed'),
  live_at: z.iso.datetime(),
  watched_until: z.iso.datetime(),
  is_final: z
    .boolean()
    .describe('Whether the watch has ended: after 7 days, when it is back, or when another revision is live'),
})
export type AfterDeploy = z.infer<typeof AfterDeploy>
