import type { z } from 'zod'
import type { listAppPeople } from '#contract/apps/people.ts'

export type AppPerson = z.infer<typeof listAppPeople.output>['items'][number]

export const PARTS = [
  { value: 'builder', label: 'Builder' },
  { value: 'maintainer', label: 'Maintainer' },
  { value: 'administrator', label: 'Administrator' },
] as const
