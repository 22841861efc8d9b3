import type { Querier } from '#lib/db/db.ts'
import type { Question, Recorder } from '../../src/server/areas/activity/index.ts'

/** For a test of records alone, one written by itself. */
export async function begin(recorder: Recorder, db: Querier, asked: Question): Promise<{ id: string }> {
  const draft = recorder.draft(asked)
  await db.query(recorder.insertion([draft]))
  return { id: draft.id }
}
