import { z } from 'zod'
import { jsonGet } from './core/methods.ts'
import { operation } from './core/operation.ts'

export const backupState = operation({
  ...jsonGet,
  name: 'backups.state',
  path: '/api/wf/backups',
  summary: 'Show whether the scheduled backups of the installation succeed',
  description: 'Says nothing of their place or content. `svc-server doctor` has the reason of a failure.',
  access: { principals: ['user', 'api_token'], role: 'admin', scope: null, org: 'token' },
  rateLimits: [{ name: 'backups', per: 'principal', limit: 60, windowSeconds: 60 }],
  input: z.object({}),
  output: z.object({
    scheduled: z.boolean().describe('whether the operator set a place for backups'),
    good_at: z.iso.datetime().nullable().describe('when the last good backup ended'),
    overdue_since: z.iso.datetime().nullable().describe('since when a good backup is missing; null if none is'),
  }),
})
