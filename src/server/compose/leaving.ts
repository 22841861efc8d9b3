import type { Loop } from '#lib/work/loop.ts'
import { sharedEraser } from '#ports/shared-eraser.ts'
import { activityEraser } from '../areas/activity/index.ts'
import { aiEraser } from '../areas/ai/index.ts'
import { appsEraser } from '../areas/apps/index.ts'
import { deletionLoop } from '../areas/auth/index.ts'
import { checksEraser } from '../areas/checks/index.ts'
import { sourcesEraser } from '../areas/data-sources/index.ts'
import { databasesEraser } from '../areas/databases/index.ts'
import { maintenanceEraser } from '../areas/maintenance/index.ts'
import { createSystemMails, notificationsEraser } from '../areas/notifications/index.ts'
import { pipelinesEraser } from '../areas/pipelines/index.ts'
import type { ServiceParts } from './parts.ts'

/** In this order: the source of a database must be gone before the database is dropped, and apps before what they write. */
const ERASERS = [
  sourcesEraser,
  databasesEraser,
  appsEraser,
  checksEraser,
  maintenanceEraser,
  pipelinesEraser,
  activityEraser,
  aiEraser,
  notificationsEraser,
  sharedEraser,
]

/** Deletes organizations and people whose week is over. With a hosted auth service there are none here. */
export function composeLeaving(parts: ServiceParts): Loop {
  return deletionLoop({
    ...parts,
    erasers: ERASERS.map((eraserOf) => eraserOf(parts)),
    mails: createSystemMails(parts),
    baseUrl: () => parts.publicUrls.signIn,
  })
}
