import type { Route } from '#edge/http/route.ts'
import { listRoute } from './list.ts'
import { createRecorder, type Recorder, type RecorderDeps } from './record.ts'

export { createQuota } from './quota.ts'
export type { Question, Recorder } from './record.ts'
export { retentionLoop } from './retention.ts'

export type Activity = Recorder & { readonly routes: readonly Route[] }

export function createActivity(deps: RecorderDeps): Activity {
  return { ...createRecorder(deps), routes: [listRoute(deps)] }
}
