import type { Querier } from '#lib/db/db.ts'
import type { Question, Recorder } from '../../src/server/areas/activity/index.ts'

/** Writes one Activity record, for tests of records. */
export async function begin(recorder: Recorder, db: Querier, asked: Question): Promise<{ id: string }> {
  const draft = recorder.draft(asked)
  await db.query(recorder.insertion([draft]))
  return { id: draft.id }
}
