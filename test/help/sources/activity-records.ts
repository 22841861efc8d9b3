import type { Querier } from '#lib/db/db.ts'
import type { Question, Recorder } from '../../../src/server/areas/activity/record.ts'

/** Writes the record of one question, for tests of records alone. */
export async function begin(recorder: Recorder, db: Querier, asked: Question): Promise<{ id: string }> {
  const draft = recorder.draft(asked)
  await db.query(recorder.insertion([draft]))
  return { id: draft.id }
}
