import { describe, expect, it } from 'vitest'
import { allMigrations } from '../src/server/process/schema.ts'

/** Files from before a migration had to say whether the former release runs on its result. Nothing is added here. */
const WITHOUT_VERDICT = [
  'lib/0001_spine.sql',
  'lib/0002_data_keys.sql',
  'lib/0003_fences.sql',
  'lib/0004_outbox_queue.sql',
  'auth/0001_people.sql',
  'auth/0002_sign_in.sql',
  'auth/0003_code_session.sql',
  'auth/0004_connectors.sql',
  'auth/0005_shown_pages.sql',
  'auth/0006_interactions_by_client.sql',
  'auth/0007_place_since.sql',
  'data-sources/0001_sources.sql',
  'data-sources/0002_search.sql',
  'data-sources/0003_warnings.sql',
  'databases/0001_databases.sql',
  'ai/0001_usage.sql',
  'activity/0001_activity.sql',
  'notifications/0001_inbox.sql',
  'notifications/0002_events.sql',
]

describe('OP-02 the migrations', () => {
  const migrations = allMigrations()

  it('each says whether the former release runs on its result: see CONTRIBUTING, "Writing a migration"', () => {
    const silent = migrations.filter(({ text }) => !/^-- former release: /m.test(text))
    expect(silent.map(({ area, name }) => `${area}/${name}`)).toEqual(WITHOUT_VERDICT)
  })

  it('each begins with why it is there', () => {
    expect(migrations.filter(({ text }) => !/^-- (?!former release:|outside transaction)\S/m.test(text))).toEqual([])
  })

  it('no two of an area have one number, because their order would then depend on their names', () => {
    const numbers = migrations.map(({ area, name }) => `${area}/${name.slice(0, 4)}`)
    expect(numbers.filter((number, i) => numbers.indexOf(number) !== i)).toEqual([])
  })
})
